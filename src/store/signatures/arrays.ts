/** Returns a buffer of twice the size with the same content, then zeros; detaches the old one, which is freed at once. */
export function doubled(buffer: ArrayBuffer): ArrayBuffer {
  return buffer.transfer(buffer.byteLength * 2);
}

/**
 * Frees the memory of unused arrays. The garbage collector sees only their small wrappers and would let tens of megabytes
 * accumulate.
 */
export function release(...arrays: readonly { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0);
}
