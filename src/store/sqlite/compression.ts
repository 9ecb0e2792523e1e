import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Below this size a frame saves less than a database page, and costs time all the same. */
const compressedBytesMin = 256;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Bytes as they lie in a column: `size` is null when they are plain, else their size before compression. */
export interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number | null;
}

/** A zstd frame (RFC 8878) where that is smaller, else the bytes themselves. */
export function pack(bytes: Uint8Array): Packed {
  if (bytes.length < compressedBytesMin) return { bytes, size: null };
  const frame = zstdCompressSync(bytes, options);
  return frame.length < bytes.length ? { bytes: frame, size: bytes.length } : { bytes, size: null };
}

/** The bytes that {@link pack} was given. */
export function unpack(packed: Packed): Uint8Array {
  if (packed.size === null) return packed.bytes;
  return zstdDecompressSync(packed.bytes, { chunkSize: Math.max(64, packed.size), maxOutputLength: packed.size });
}
