import type { ReactElement } from "react";
import { download, useSignedUrl } from "../api/signed-urls.ts";
import { showError } from "../shared/toast.tsx";

/** Saves a file of the service under a name; shows a toast when that fails. */
export async function saveFile(url: string, fileName: string): Promise<void> {
  await download(url, fileName).catch(showError);
}

/** An image of the service, loaded by a signed URL. */
export function SignedImage(props: {
  readonly url: string;
  readonly alt: string;
  readonly className?: string | undefined;
  /** Called when the image cannot be signed, fetched or decoded. */
  readonly onError?: () => void;
}): ReactElement | null {
  const { url, alt, className, onError } = props;
  const { data: src } = useSignedUrl(url);
  return src === undefined ? null : <img className={className} src={src} alt={alt} onError={onError} />;
}
