import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
  type ZstdOptions,
} from "node:zlib";
import { Problem } from "../core/errors.ts";
import { contextBytesMax, ZstdContext } from "./zstd-contexts.ts";
import { dictionary } from "./zstd-dictionary.ts";

/**
 * Repeats in mail are long: searching for long ones only takes a tenth less time, for frames 2 % larger. The checksum of
 * the content (RFC 8878 §3.1.1) detects frames whose bytes have changed on disk.
 */
const parameters = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_minMatch]: 7,
  [constants.ZSTD_c_checksumFlag]: 1,
};
/** Content up to this size is compressed with the dictionary: more gains little, and takes up to half as long again. */
const dictionaryContentBytesMax = 8 * 1024;
const withoutDictionary = { params: parameters };
const withDictionary = { params: parameters, dictionary };
const compressor = ZstdContext.forCompression(withoutDictionary);
const smallCompressor = ZstdContext.forCompression(withDictionary);
const decompressor = ZstdContext.forDecompression({ dictionary });
/** Output buffers of this size and more are never slices of Node's pool, so that {@link release} may free them. */
const ownBufferBytesMin = Buffer.poolSize;
/** Most bytes by which a frame exceeds its content, beside one in 256 (`ZSTD_compressBound`). */
const frameOverheadBytesMax = 64;

/** Bytes as stored in a column: `size` is their size before compression, null when they are not compressed. */
export interface Compressed {
  readonly bytes: Uint8Array;
  readonly size: number | null;
}

/** Returns a zstd frame (RFC 8878) with a checksum, even when it is no smaller; empty input stays uncompressed. */
export function compress(bytes: Uint8Array): Compressed {
  if (bytes.length === 0) return { bytes, size: null };
  // Fits any frame: zstd then neither copies the content nor the frame.
  const frameBytesMax = bytes.length + (bytes.length >> 8) + frameOverheadBytesMax;
  const chunkSize = Math.max(ownBufferBytesMin, frameBytesMax);
  if (chunkSize <= contextBytesMax) {
    const output = Buffer.allocUnsafe(chunkSize);
    const length = (isSmall(bytes) ? smallCompressor : compressor).run(bytes, output);
    if (length !== undefined) return { bytes: output.subarray(0, length), size: bytes.length };
  }
  const frame = zstdCompressSync(bytes, { ...optionsFor(bytes), chunkSize, pledgedSrcSize: bytes.length });
  return { bytes: frame, size: bytes.length };
}

function isSmall({ length }: Uint8Array): boolean {
  return length <= dictionaryContentBytesMax;
}

function optionsFor(bytes: Uint8Array): ZstdOptions {
  return isSmall(bytes) ? withDictionary : withoutDictionary;
}

/** Returns the bytes that {@link compress} was given. Throws `data_damaged` when the frame has changed since. */
export function decompress({ bytes, size }: Compressed): Uint8Array {
  if (size === null) return bytes;
  return inflate(bytes, size, size < contextBytesMax ? Buffer.allocUnsafe(Math.max(64, size) + 1) : null);
}

/**
 * Returns ranges of the bytes that {@link compress} was given, none of which keeps the memory of more than itself. Throws as
 * {@link decompress} does.
 */
export function decompressRanges<Ranges extends readonly (readonly [start: number, end: number])[]>(
  { bytes, size }: Compressed,
  ranges: readonly [...Ranges],
): { readonly [Index in keyof Ranges]: Uint8Array } {
  const copies = borrowInflated(bytes, size ?? bytes.length, (plain) =>
    ranges.map(([start, end]) => Buffer.from(plain.subarray(start, end))),
  );
  return copies as unknown as { readonly [Index in keyof Ranges]: Uint8Array };
}

/**
 * Calls `borrow` with the bytes that {@link compress} was given, then frees them and the given bytes, which must be a
 * buffer of their own, as columns are. Leaves no garbage, however often it is called.
 */
export function withDecompressed<Result>({ bytes, size }: Compressed, borrow: (plain: Buffer) => Result): Result {
  const result = size === null ? borrow(asBuffer(bytes)) : borrowInflated(bytes, size, borrow);
  release(bytes);
  return result;
}

/**
 * Frees a result of {@link compress}. The garbage collector sees only the small wrappers of these buffers and would let
 * thousands of them pile up.
 */
export function freeCompressed(packed: Compressed): void {
  if (packed.size !== null) release(packed.bytes);
}

/** Memory for content that is dropped after its use; undefined before the first use, and during each. */
let scratch: Buffer | undefined;

function borrowInflated<Result>(frame: Uint8Array, size: number, borrow: (plain: Buffer) => Result): Result {
  const memory = size < contextBytesMax ? (scratch ?? Buffer.allocUnsafeSlow(contextBytesMax)) : null;
  scratch = undefined;
  const plain = inflate(frame, size, memory);
  const result = borrow(plain);
  // The garbage collector would see only the small object, and collect the whole heap for the memory of many.
  if (plain.buffer !== memory?.buffer) release(plain);
  scratch = memory ?? undefined;
  return result;
}

/** Returns the content of a frame, in `memory` where that is given and Node's internals are those that are known. */
function inflate(frame: Uint8Array, size: number, memory: Buffer | null): Buffer {
  if (memory !== null && decompressor.run(frame, memory, size) !== undefined) return memory.subarray(0, size);
  try {
    const chunkSize = Math.max(ownBufferBytesMin, size);
    return requireSize(zstdDecompressSync(frame, { dictionary, chunkSize, maxOutputLength: size }), size);
  } catch (error) {
    throw damagedFrame(error);
  }
}

/** Throws when a frame is truncated in a way that zstd takes for its end. */
function requireSize(plain: Buffer, size: number): Buffer {
  if (plain.length !== size) throw new Error(`a frame holds ${plain.length} bytes instead of ${size}`);
  return plain;
}

function damagedFrame(cause: unknown): unknown {
  return isOutOfMemory(cause) ? cause : new Problem("data_damaged", { cause });
}

function isZstdError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("ZSTD_error_") || code === "Z_BUF_ERROR";
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ZSTD_error_memory_allocation";
}

function release(bytes: Uint8Array): void {
  if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const compressAside = promisify(zstdCompress);
const decompressAside = promisify(zstdDecompress);

/** Works as {@link compress}, off the calling thread. */
export async function compressAsync(bytes: Uint8Array): Promise<Compressed> {
  const frame = await compressAside(bytes, { ...optionsFor(bytes), pledgedSrcSize: bytes.length });
  return { bytes: frame, size: bytes.length };
}

/** Works as {@link decompress}, off the calling thread. */
export async function decompressAsync({ bytes, size }: Compressed): Promise<Uint8Array> {
  if (size === null) return bytes;
  try {
    const plain = await decompressAside(bytes, { dictionary, chunkSize: Math.max(64, size), maxOutputLength: size });
    return requireSize(plain, size);
  } catch (error) {
    throw damagedFrame(error);
  }
}

/** Size of the chunks that {@link decompressChunks} yields. */
const decompressedChunkBytes = 256 * 1024;

/**
 * Decompresses the chunks of one zstd frame as they arrive, off the calling thread and at most one chunk ahead. Throws
 * errors of `chunks`, and `data_damaged` for a damaged frame, at its end at the latest.
 */
export async function* decompressChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const decoder = createZstdDecompress({ dictionary, chunkSize: decompressedChunkBytes });
  const source = Readable.from(chunks, { highWaterMark: 1 });
  // Errors reach the loop below through the decoder, which the pipeline destroys with them.
  pipeline(source, decoder, () => undefined);
  try {
    for await (const plain of decoder) yield plain as Buffer;
  } catch (error) {
    throw isZstdError(error) ? damagedFrame(error) : error;
  } finally {
    source.destroy();
    decoder.destroy();
  }
}
