import { notFound } from "../core/errors.ts";
import { decompressChunks } from "./compression.ts";

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Raw bytes of one message, read in chunks so that a large mail is never held in memory whole. */
export interface RawContent {
  readonly sizeBytes: number;
  /** All bytes where they are in memory, in memory that nothing else refers to; absent for content that is read in chunks. */
  readonly bytes?: Uint8Array;
  /**
   * Yields the bytes of a range (all of them by default) in order, at most about 1 MiB ahead of the consumer. Throws
   * `not_found` when the message is deleted meanwhile.
   */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

/** Content of a message; its parts may share memory with each other, and with nothing else. */
export interface MessageContent {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array | null;
}

/** Content above this size is read in chunks. */
export const chunkedBytesMin: number = 1024 * 1024;

/** Returns raw content that is in memory already. */
export function inMemoryContent(bytes: Uint8Array): RawContent {
  return {
    sizeBytes: bytes.length,
    bytes,
    async *read({ first, last } = wholeRange(bytes.length)) {
      await Promise.resolve();
      if (last >= first) yield bytes.subarray(first, last + 1);
    },
  };
}

/** Source of content that is read in chunks, which form one zstd frame. */
export interface ChunkedSource {
  /** Size before compression. */
  readonly sizeBytes: number;
  readonly chunkCount: number;
  /** Reads one chunk as it is stored; undefined when it was deleted. */
  readonly readChunk: (at: number) => Promise<Uint8Array | undefined>;
}

/** Returns raw content that is fetched chunk by chunk while it is read. */
export function chunkedContent(source: ChunkedSource): RawContent {
  const { sizeBytes } = source;
  return {
    sizeBytes,
    read: (range = wholeRange(sizeBytes)) => cut(decompressChunks(storedChunks(source)), range),
  };
}

async function* storedChunks({ chunkCount, readChunk }: ChunkedSource): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < chunkCount; at += 1) {
    const chunk = await readChunk(at);
    if (chunk === undefined) throw notFound("Message");
    yield chunk;
  }
}

async function* cut(chunks: AsyncIterable<Uint8Array>, { first, last }: ByteRange): AsyncGenerator<Uint8Array, void> {
  let start = 0;
  for await (const chunk of chunks) {
    const end = start + chunk.length;
    if (end > first && start <= last) yield chunk.subarray(Math.max(0, first - start), last + 1 - start);
    if (end > last) return;
    start = end;
  }
}

function wholeRange(sizeBytes: number): ByteRange {
  return { first: 0, last: sizeBytes - 1 };
}
