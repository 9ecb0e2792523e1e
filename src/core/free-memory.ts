/**
 * Frees the memory of a buffer at once, if it fills memory of its own; parts of larger memory, such as Node's pool, stay. The
 * garbage collector sees only the small objects of buffers, and would let thousands of them pile up. Nothing may read the
 * buffer, or another view of its memory, afterwards.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
