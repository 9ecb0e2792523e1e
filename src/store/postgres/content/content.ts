import { Problem } from "../../../core/errors.ts";
import { freeCompressed, compress, compressAsync, decompress, decompressAsync } from "../../compression.ts";
import type { Compressed } from "../../compression.ts";
import { inMemoryContent, chunkedBytesMin, chunkedContent, type MessageContent } from "../../raw-content.ts";
import type { RawContent } from "../../raw-content.ts";
import type { Session } from "../connection/database.ts";
import { adopt } from "./external-content.ts";
import type { ExternalContent } from "./external-content.ts";

/** Large parts of a message. */
export interface Content {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
}

/** Name of a large part. */
export type ContentPart = keyof Content;

/**
 * Up to this size before compression both parts share one frame: their texts are similar, which saves space and time.
 */
const togetherBytesMax = 256 * 1024;
/** Columns up to this size are in the row of the message, larger ones in chunks, so that no value is huge. */
const inlineBytesMax = 256 * 1024;
/** Size of a chunk. */
export const chunkBytes: number = 1024 * 1024;
/** Content above this size is compressed off the calling thread. */
const asideBytesMin = 128 * 1024;

/** Stored numbers of the parts. */
const partNumbers: Readonly<Record<ContentPart, number>> = { detail: 0, raw: 1 };
const noBytes = Buffer.alloc(0);

/** Compressed content; `raw` is null when it follows the detail in the same frame. */
export interface StoredContent {
  readonly detail: StoredPart;
  readonly raw: StoredPart | null;
  /** Sizes before compression; null for a part that is not compressed. */
  readonly detailSize: number | null;
  readonly rawSize: number | null;
}

/** Part in its column, or in chunks. */
export interface StoredPart {
  readonly inline: Uint8Array;
  readonly chunks: readonly Uint8Array[];
  /** Name of the part in external storage; null when it is in the database. */
  readonly outside: string | null;
}

/** Columns of a message that describe a part; `column` is the one that contains it. */
export interface PartRow {
  readonly column: Buffer;
  readonly detail_size: number | null;
  readonly raw_size: number | null;
  readonly is_together: boolean;
  readonly chunk_count: number;
}

/** Message that owns chunks. */
export interface PartOwner {
  readonly server: number;
  readonly epoch: number;
  readonly slot: string;
}

/** Compresses content for the tables. */
export async function packContent({ detail, raw }: Content): Promise<StoredContent> {
  if (detail.length + raw.length <= togetherBytesMax) {
    const together = packTogether(detail, raw);
    if (together.size !== null) {
      return { detail: split(together.bytes), detailSize: detail.length, raw: null, rawSize: raw.length };
    }
  }
  const [first, second] = [await packed(detail), await packed(raw)];
  return { detail: split(first.bytes), detailSize: first.size, raw: split(second.bytes), rawSize: second.size };
}

/** Frees the small parts of {@link packContent}, of which the garbage collector would let thousands pile up. */
export function discardContent({ detail, raw, detailSize, rawSize }: StoredContent): void {
  if (detail.chunks.length === 0) freeCompressed({ bytes: detail.inline, size: detailSize });
  if (raw !== null && raw.chunks.length === 0) freeCompressed({ bytes: raw.inline, size: rawSize });
}

/** Columns of a message from which {@link readPart} reads one part. */
export function partColumns(part: ContentPart): string {
  const column = part === "raw" ? "coalesce(raw, detail)" : "detail";
  return `${column} as "column", detail_size, raw_size, raw is null as is_together, ${part}_chunk_count as chunk_count`;
}

/** Returns one part of what {@link packContent} compressed; undefined when its chunks were deleted meanwhile. */
export async function readPart(row: PartRow, part: ContentPart, chunks: ChunkReads): Promise<Uint8Array | undefined> {
  const { detail_size, raw_size, is_together, chunk_count } = row;
  const bytes = chunk_count === 0 ? row.column : await chunks.read(partNumbers[part], chunk_count);
  if (bytes === undefined) return undefined;
  if (is_together) return divided(await unpacked({ bytes, size: (detail_size ?? 0) + (raw_size ?? 0) }), row)[part];
  return await unpacked({ bytes, size: part === "detail" ? detail_size : raw_size });
}

/** As {@link readPart} for the detail, with the raw bytes where they are in the same frame. */
export async function readMessageContent(row: PartRow, chunks: ChunkReads): Promise<MessageContent | undefined> {
  if (!row.is_together) {
    const detail = await readPart(row, "detail", chunks);
    return detail && { detail, raw: null };
  }
  const size = (row.detail_size ?? 0) + (row.raw_size ?? 0);
  return divided(await unpacked({ bytes: row.column, size }), row);
}

function divided(both: Uint8Array, { detail_size }: PartRow): Content {
  const at = detail_size ?? 0;
  return { detail: both.subarray(0, at), raw: both.subarray(at) };
}

/** Opens the raw content of a message, in chunks where it is large; undefined when its chunks were deleted. */
export async function openRawPart(row: PartRow, chunks: ChunkReads): Promise<RawContent | undefined> {
  const { column, raw_size, is_together, chunk_count } = row;
  const isHeld = chunk_count === 0 && (raw_size ?? column.length) <= chunkedBytesMin;
  if (is_together || isHeld) {
    const bytes = await readPart(row, "raw", chunks);
    return bytes === undefined ? undefined : inMemoryContent(bytes);
  }
  const part = partNumbers.raw;
  const readChunk = async (at: number): Promise<Uint8Array | undefined> =>
    chunk_count === 0 ? column : await chunks.readOne(part, at);
  const place = { isCompressed: raw_size !== null, chunkCount: Math.max(1, chunk_count), readChunk };
  if (raw_size !== null) return chunkedContent({ ...place, sizeBytes: raw_size });
  // Uncompressed content of unknown size: all chunks but the last are full.
  const last = await readChunk(chunk_count - 1);
  if (last === undefined) return undefined;
  return chunkedContent({ ...place, sizeBytes: (chunk_count - 1) * chunkBytes + last.length });
}

/** Sources of chunks. */
export interface ChunkSource {
  readonly session: Session;
  /** Null when there is no external storage. */
  readonly outside: ExternalContent | null;
}

/** Reads the chunks of one message. */
export class ChunkReads {
  readonly #session: Session;
  readonly #owner: PartOwner;
  readonly #outside: ExternalContent | null;

  constructor({ session, outside }: ChunkSource, owner: PartOwner) {
    this.#session = session;
    this.#outside = outside;
    this.#owner = owner;
  }

  /** Reads chunks one at a time, so that no result is huge; undefined when one is missing. */
  async read(part: number, count: number): Promise<Uint8Array | undefined> {
    const chunks: Uint8Array[] = [];
    for (let number = 0; number < count; number += 1) {
      const bytes = await this.#readInside(part, number);
      if (bytes === undefined) return number === 0 ? await this.#readOutside(part) : undefined;
      chunks.push(bytes);
    }
    return Buffer.concat(chunks);
  }

  /** Reads one chunk from either source; undefined when it is missing. */
  async readOne(part: number, number: number): Promise<Uint8Array | undefined> {
    const inside = await this.#readInside(part, number);
    if (inside !== undefined) return inside;
    const name = await this.#nameOutside(part);
    if (name === undefined) return undefined;
    const range = { start: number * chunkBytes, length: chunkBytes };
    return await this.#requireOutside().readRange(this.#owner.server, name, range);
  }

  /** Reads one chunk from the database. */
  async #readInside(part: number, number: number): Promise<Uint8Array | undefined> {
    const { server, epoch, slot } = this.#owner;
    const [row] = await this.#session.query<{ bytes: Buffer }>(
      `select bytes from chunk
       where server_id = $1 and epoch = $2 and slot = $3 and part = $4 and number = $5`,
      [server, epoch, slot, part, number],
    );
    return row?.bytes;
  }

  async #readOutside(part: number): Promise<Uint8Array | undefined> {
    const name = await this.#nameOutside(part);
    return name === undefined ? undefined : await this.#requireOutside().read(this.#owner.server, name);
  }

  async #nameOutside(part: number): Promise<string | undefined> {
    const { server, epoch, slot } = this.#owner;
    const [row] = await this.#session.query<{ name: string }>(
      "select name from outside where server_id = $1 and epoch = $2 and slot = $3 and part = $4",
      [server, epoch, slot, part],
    );
    return row?.name;
  }

  #requireOutside(): ExternalContent {
    if (this.#outside !== null) return this.#outside;
    throw new Problem("unavailable", {
      cause: new Error("the content is stored in an S3 bucket; set RESTANTE_BLOB_URL on this node"),
    });
  }
}

/** Writes the chunks of a message. */
export async function writeChunks(session: Session, owner: PartOwner, content: StoredContent): Promise<void> {
  for (const part of ["detail", "raw"] as const) {
    const name = content[part]?.outside ?? null;
    if (name !== null) {
      await adopt(session, owner, { number: partNumbers[part], name });
      continue;
    }
    for (const [number, bytes] of (content[part]?.chunks ?? []).entries()) {
      await session.query(
        "insert into chunk (server_id, epoch, slot, part, number, bytes) values ($1, $2, $3, $4, $5, $6)",
        [owner.server, owner.epoch, owner.slot, partNumbers[part], number, asBuffer(bytes)],
      );
    }
  }
}

/** Shared buffer in which two parts are joined; each use ends before the next begins. */
const meeting = Buffer.allocUnsafeSlow(togetherBytesMax);

function packTogether(detail: Uint8Array, raw: Uint8Array): Compressed {
  meeting.set(detail);
  meeting.set(raw, detail.length);
  const together = compress(meeting.subarray(0, detail.length + raw.length));
  return together.size === null ? { bytes: together.bytes.slice(), size: null } : together;
}

function split(bytes: Uint8Array): StoredPart {
  if (bytes.length <= inlineBytesMax) return { inline: bytes, chunks: [], outside: null };
  const count = Math.ceil(bytes.length / chunkBytes);
  const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
  return { inline: noBytes, chunks, outside: null };
}

async function packed(bytes: Uint8Array): Promise<Compressed> {
  return bytes.length < asideBytesMin ? compress(bytes) : await compressAsync(bytes);
}

async function unpacked(column: Compressed): Promise<Uint8Array> {
  return (column.size ?? 0) < asideBytesMin ? decompress(column) : await decompressAsync(column);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
