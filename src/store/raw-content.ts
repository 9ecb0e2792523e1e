import { notFound } from "../core/errors.ts";
import { decompressChunks } from "./compression.ts";

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Raw bytes of one message, read in pieces so that a large mail is never held whole. */
export interface RawContent {
  readonly sizeBytes: number;
  /**
   * Yields the bytes of a range (all of them by default) in order, at most about 1 MiB ahead of the consumer. Throws
   * `not_found` when the message is deleted meanwhile.
   */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

/** Content above this size is read in pieces. */
export const chunkedBytesMin: number = 1024 * 1024;

/** Raw content that is in memory already. */
export function inMemoryContent(bytes: Uint8Array): RawContent {
  return {
    sizeBytes: bytes.length,
    async *read({ first, last } = wholeRange(bytes.length)) {
      await Promise.resolve();
      if (last >= first) yield bytes.subarray(first, last + 1);
    },
  };
}

/** Place of content that is read in pieces. */
export interface ChunkedSource {
  /** Size before compression. */
  readonly sizeBytes: number;
  /** Whether the pieces are those of one zstd frame. */
  readonly isCompressed: boolean;
  readonly chunkCount: number;
  /** Reads one piece as it is stored; undefined when it is gone. */
  readonly readChunk: (at: number) => Promise<Uint8Array | undefined>;
}

/** Raw content that is fetched piece by piece while it is read. */
export function chunkedContent(place: ChunkedSource): RawContent {
  const { sizeBytes, isCompressed } = place;
  return {
    sizeBytes,
    read: (range = wholeRange(sizeBytes)) =>
      cut(isCompressed ? decompressChunks(storedChunks(place)) : storedChunks(place), range),
  };
}

async function* storedChunks({ chunkCount, readChunk }: ChunkedSource): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < chunkCount; at += 1) {
    const piece = await readChunk(at);
    if (piece === undefined) throw notFound("Message");
    yield piece;
  }
}

async function* cut(pieces: AsyncIterable<Uint8Array>, { first, last }: ByteRange): AsyncGenerator<Uint8Array, void> {
  let start = 0;
  for await (const piece of pieces) {
    const end = start + piece.length;
    if (end > first && start <= last) yield piece.subarray(Math.max(0, first - start), last + 1 - start);
    if (end > last) return;
    start = end;
  }
}

function wholeRange(sizeBytes: number): ByteRange {
  return { first: 0, last: sizeBytes - 1 };
}
