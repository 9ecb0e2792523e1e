import { readImageFormat, type ImageFormat } from "./image-format.ts";

/** Image that is safe to decode. */
export interface SafeImage {
  readonly contentType: ImageFormat["contentType"];
  readonly bytes: Uint8Array;
  readonly pixels: number;
}

/** Largest number of pixels of a displayed image: a small file can declare a size that exceeds the memory. */
export const shownPixelsMax = 40_000_000;

/**
 * Returns the image if it is PNG, GIF, JPEG or WebP by its bytes, of at most {@link shownPixelsMax} pixels; undefined
 * for anything else.
 */
export function safeImage(bytes: Uint8Array): SafeImage | undefined {
  const format = readImageFormat(bytes);
  if (format === undefined) return undefined;
  const pixels = format.width * format.height;
  return pixels > shownPixelsMax ? undefined : { contentType: format.contentType, bytes, pixels };
}
