/** A line out of a file or a stream. */
export interface Line {
  /** From 1 on. */
  readonly number: number;
  /** Without the line feed that ends it. */
  readonly bytes: Buffer;
  /** False for what stands behind the last line feed. */
  readonly isWhole: boolean;
}

const lineFeed = 0x0a;

/**
 * Cuts bytes at line feeds; with each chunk come all lines that it ends. Holds one line and one chunk in memory. Throws an
 * `Error` that names the line where one has more than `lineBytesMax`.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<readonly Line[]> {
  let number = 1;
  let pieces: Buffer[] = [];
  let piecesBytes = 0;
  const refuseLong = (sizeBytes: number): void => {
    if (sizeBytes > lineBytesMax) throw new Error(`line ${number} has more than ${lineBytesMax} bytes`);
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      refuseLong(piecesBytes + end - start);
      const last = bytes.subarray(start, end);
      lines.push({ number, bytes: pieces.length === 0 ? last : Buffer.concat([...pieces, last]), isWhole: true });
      pieces = [];
      piecesBytes = 0;
      number += 1;
      start = end + 1;
    }
    refuseLong(piecesBytes + bytes.length - start);
    if (start < bytes.length) pieces.push(Buffer.from(bytes.subarray(start)));
    piecesBytes += bytes.length - start;
    if (lines.length > 0) yield lines;
  }
  if (piecesBytes > 0) yield [{ number, bytes: Buffer.concat(pieces), isWhole: false }];
}
