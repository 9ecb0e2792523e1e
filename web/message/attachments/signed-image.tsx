import type { ReactElement } from "react";
import { useSignedUrl } from "../../api/signed-urls.ts";

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
