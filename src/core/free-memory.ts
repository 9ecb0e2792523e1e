/**
 * Frees the memory of a buffer at once, if it fills memory of its own; parts of larger memory, such as Node's pool, stay. The
 * garbage collector sees only the small objects of buffers, and would let thousands of them pile up. Nothing may read the
 * buffer, or another view of its memory, afterwards.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

/** Returns the concatenation of the chunks, and frees the memory of each after its copy, so that it is held about once. */
export function joinAndFree(chunks: readonly Uint8Array[]): Buffer {
  const joined = Buffer.allocUnsafe(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.byteLength;
    freeMemory(chunk);
  }
  return joined;
}
