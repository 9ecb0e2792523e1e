/** First bytes of common types (WHATWG MIME Sniffing §6), as Latin-1. */
const signatures: readonly (readonly [start: string, type: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["BM", "image/bmp"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b\x08", "application/x-gzip"],
  ["OggS\0", "application/ogg"],
  ["ID3", "audio/mpeg"],
];
const sniffedBytes = 512;

/** Returns the type of a file by its first bytes, as Go's `http.DetectContentType` does for common ones. */
export function contentTypeOf(content: Uint8Array): string {
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, sniffedBytes));
  const text = start.toString("latin1");
  const known = signatures.find(([signature]) => text.startsWith(signature));
  if (known !== undefined) return known[1];
  if (text.startsWith("RIFF") && text.slice(8, 14) === "WEBPVP") return "image/webp";
  if (/^\s*<(?:!doctype html|html|head|body|script|table|p|br|div|h1)[\s>]/i.test(text))
    return "text/html; charset=utf-8";
  // Control characters that are no text: 0x00 to 0x08, 0x0B, 0x0E to 0x1A, 0x1C to 0x1F.
  const isBinary = start.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
  return isBinary ? "application/octet-stream" : "text/plain; charset=utf-8";
}
