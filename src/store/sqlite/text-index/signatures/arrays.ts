/** A buffer of twice the size with the same content, zeros behind it; the old one is gone at once, not left behind. */
export function doubled(buffer: ArrayBuffer): ArrayBuffer {
  return buffer.transfer(buffer.byteLength * 2);
}

/**
 * Frees the memory of arrays that nobody uses any more. The collector, who sees only their small heads, would let tens
 * of megabytes pile up.
 */
export function release(...arrays: readonly { readonly buffer: ArrayBuffer }[]): void {
  for (const { buffer } of arrays) buffer.transfer(0);
}
