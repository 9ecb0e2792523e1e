import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { Context } from "./context.ts";
import { getAttachment } from "./get-attachment.ts";
import { readImageFormat, type ImageFormat } from "./image-format.ts";

/** An image that is safe to decode. */
export interface SafeImage {
  readonly contentType: ImageFormat["contentType"];
  readonly bytes: Uint8Array;
}

/** Most pixels of an image that is shown: a small file can claim more than any machine has memory for. */
export const shownPixelsMax = 40_000_000;

/**
 * An attachment as an image to be shown: PNG, GIF, JPEG or WebP by its bytes, whatever type it claims, of at most
 * {@link shownPixelsMax} pixels. Rejects with `not_found`, also for what is no such image.
 */
export async function previewImage(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<SafeImage> {
  const { bytes } = await getAttachment(context, principal, idText);
  const image = safeImage(bytes);
  if (image === undefined) throw new Problem("not_found", { text: "This attachment is no image that is shown here" });
  return image;
}

/** The bytes as an image to be shown; undefined where they are none, or too large a one. */
export function safeImage(bytes: Uint8Array): SafeImage | undefined {
  const format = readImageFormat(bytes);
  if (format === undefined || format.width * format.height > shownPixelsMax) return undefined;
  return { contentType: format.contentType, bytes };
}
