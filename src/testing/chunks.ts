/**
 * Splits bytes into chunks of the given sizes, which are repeated in turn; a size of 0 counts as 1. Every chunk is a copy, as
 * chunks from a socket are.
 */
export function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const size = Math.max(1, sizes[pieces.length % Math.max(1, sizes.length)] ?? bytes.length);
    pieces.push(Buffer.from(bytes.subarray(start, start + size)));
    start += size;
  }
  return pieces;
}
