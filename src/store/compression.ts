import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/** Below this size a frame saves less than a database page, and costs time all the same. */
const compressedBytesMin = 256;
/** What repeats in a mail is long: looking for that alone takes a tenth less time, for frames 2 % larger. */
const parameters = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_minMatch]: 7 };
/** Output buffers of this size and more are never slices of Node's pool, so that {@link release} may free them. */
const ownBufferBytesMin = Buffer.poolSize;

/** Bytes as they lie in a column: `size` is null when they are plain, else their size before compression. */
export interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number | null;
}

/** A zstd frame (RFC 8878) where that is smaller, else the bytes themselves. */
export function pack(bytes: Uint8Array): Packed {
  if (bytes.length < compressedBytesMin) return { bytes, size: null };
  const chunkSize = Math.max(ownBufferBytesMin, bytes.length >> 1);
  const frame = zstdCompressSync(bytes, { params: parameters, chunkSize, pledgedSrcSize: bytes.length });
  return frame.length < bytes.length ? { bytes: frame, size: bytes.length } : { bytes, size: null };
}

/** The bytes that {@link pack} was given. */
export function unpack(packed: Packed): Uint8Array {
  return packed.size === null ? packed.bytes : inflate(packed.bytes, { size: packed.size, bufferBytesMin: 64 });
}

/**
 * Lends out the bytes that {@link pack} was given. Uses up what it is given, which must be a buffer of its own, as
 * columns are: it leaves no garbage, however often it is called.
 */
export function lendUnpacked<Result>(packed: Packed, borrow: (plain: Buffer) => Result): Result {
  const { bytes, size } = packed;
  const plain = size === null ? asBuffer(bytes) : inflate(bytes, { size, bufferBytesMin: ownBufferBytesMin });
  const result = borrow(plain);
  release(plain);
  if (size !== null) release(bytes);
  return result;
}

/**
 * Frees what {@link pack} made. Such buffers come by the thousand, and the collector, who sees only their small heads,
 * would let them pile up.
 */
export function discard(packed: Packed): void {
  if (packed.size !== null) release(packed.bytes);
}

function inflate(frame: Uint8Array, wanted: { readonly size: number; readonly bufferBytesMin: number }): Buffer {
  const chunkSize = Math.max(wanted.bufferBytesMin, wanted.size);
  return zstdDecompressSync(frame, { chunkSize, maxOutputLength: wanted.size });
}

function release(bytes: Uint8Array): void {
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const compressAside = promisify(zstdCompress);
const decompressAside = promisify(zstdDecompress);

/** As {@link pack}, off the calling thread. */
export async function packAside(bytes: Uint8Array): Promise<Packed> {
  const frame = await compressAside(bytes, { params: parameters, pledgedSrcSize: bytes.length });
  return frame.length < bytes.length ? { bytes: frame, size: bytes.length } : { bytes, size: null };
}

/** As {@link unpack}, off the calling thread. */
export async function unpackAside({ bytes, size }: Packed): Promise<Uint8Array> {
  return size === null ? bytes : await decompressAside(bytes, { chunkSize: Math.max(64, size), maxOutputLength: size });
}

/** Bytes that {@link unpackPieces} yields at a time. */
const unpackedPieceBytes = 256 * 1024;

/**
 * Unpacks the pieces of one zstd frame as they arrive, off the calling thread and no further ahead than one piece. Throws
 * what `pieces` throws, and the decoder's error for a broken frame.
 */
export async function* unpackPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const decoder = createZstdDecompress({ chunkSize: unpackedPieceBytes });
  const source = Readable.from(pieces, { highWaterMark: 1 });
  // Errors reach the loop below through the decoder, which the pipeline destroys with them.
  pipeline(source, decoder, () => undefined);
  try {
    for await (const plain of decoder) yield plain as Buffer;
  } finally {
    source.destroy();
    decoder.destroy();
  }
}
