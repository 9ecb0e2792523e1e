/** PNG files of tests, written chunk by chunk. */
import { crc32, deflateSync } from "node:zlib";

/** Header and rows of a PNG; each row starts with its filter. */
export interface WrittenPng {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly rows: readonly number[];
  readonly palette?: readonly number[];
  readonly interlace?: number;
}

/** Returns a PNG, which may contradict its header. */
export function pngOf({ width, height, depth, type, rows, palette, interlace = 0 }: WrittenPng): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunkOf("IHDR", header),
    ...(palette === undefined ? [] : [chunkOf("PLTE", Buffer.from(palette))]),
    chunkOf("IDAT", deflateSync(Buffer.from(rows))),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns a chunk with its checksum. */
export function chunkOf(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
