/** Bytes per call of `String.fromCharCode`, whose number of arguments is limited. */
const chunkBytes = 8192;

/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes)
    chunks.push(String.fromCharCode(...bytes.subarray(start, start + chunkBytes)));
  return btoa(chunks.join(""));
}
