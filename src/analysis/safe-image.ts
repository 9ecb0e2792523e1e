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

/** Reads the headers of raster images without decoding them. */

/** Type and size of an image, as declared in its header. */
interface ImageFormat {
  readonly contentType: "image/png" | "image/gif" | "image/jpeg" | "image/webp";
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the format of PNG, GIF, JPEG and WebP bytes; undefined for anything else and for truncated headers. Never
 * throws; linear in the bytes.
 */
export function readImageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n") && view.byteLength >= 24) {
    return { contentType: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (/^GIF8[79]a/.test(latin1(bytes, 0, 6)) && view.byteLength >= 10) {
    return { contentType: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (startsWith(bytes, "RIFF") && latin1(bytes, 8, 12) === "WEBP") return readWebp(view, latin1(bytes, 12, 16));
  return startsWith(bytes, "\xff\xd8\xff") ? readJpeg(view) : undefined;
}

/** Reads WebP (RFC 9649 §2.5 to §2.7): the first chunk has the canvas size. */
function readWebp(view: DataView, chunk: string): ImageFormat | undefined {
  if (view.byteLength < 30) return undefined;
  const contentType = "image/webp";
  switch (chunk) {
    case "VP8X":
      return { contentType, width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { contentType, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case "VP8 ":
      return { contentType, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

/** Reads JPEG (ITU-T T.81 §B): marker segments up to the frame header, which has the size. */
function readJpeg(view: DataView): ImageFormat | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrameHeader(marker)) {
      return { contentType: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

/** Whether the marker is SOF0 to SOF15; DHT, JPG and DAC are between them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function startsWith(bytes: Uint8Array, mark: string): boolean {
  return latin1(bytes, 0, mark.length) === mark;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
