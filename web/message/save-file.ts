import { download } from "../api/signed-urls.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";

/** Saves a file of this service under a name; what goes wrong is shown as a note. */
export async function saveFile(url: string, fileName: string): Promise<void> {
  try {
    await download(url, fileName);
  } catch (error) {
    showToast({ text: strings.failed(error instanceof Error ? error.message : String(error)) });
  }
}
