import { download } from "../api/signed-urls.ts";
import { showToast } from "../shared/toast.tsx";

/** Saves a file of the service under a name; shows a toast when that fails. */
export async function saveFile(url: string, fileName: string): Promise<void> {
  try {
    await download(url, fileName);
  } catch (error) {
    showToast({ text: error instanceof Error ? error.message : String(error) });
  }
}
