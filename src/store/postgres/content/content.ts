import { freeCompressed, compress, compressAsync, type Compressed } from "../../compression.ts";
import { splitColumn } from "../../content/layout.ts";
import { partNumbers, type ContentTables, type ReadPart } from "../../records/content-rows.ts";
import { rowsOf, type Query } from "../../sql/query.ts";
import { adopt } from "./external-content.ts";

/** Columns up to this size are in the row of the message, larger ones in chunks, so that no value is huge. */
const inlineBytesMax = 256 * 1024;
/**
 * Up to this size before compression both parts share one frame: their texts are similar, which saves space and time. Every
 * frame of them fits into the row.
 */
const togetherBytesMax = 254 * 1024;
/** Size of a chunk. */
export const chunkBytes: number = 1024 * 1024;
/** Content above this size is compressed off the calling thread. */
const asideBytesMin = 128 * 1024;

const noBytes = Buffer.alloc(0);

/** Compressed content; `raw` is null when it follows the detail in the same frame. */
export interface StoredContent {
  readonly detail: StoredPart;
  readonly raw: StoredPart | null;
  /** Sizes before compression; null for an empty part. */
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

/** Tables of content. */
export const contentTables: ContentTables = {
  from: "message m",
  alias: "m",
  bodySize: "0",
  detailChunkCount: "m.detail_chunk_count",
  checked: "",
  columnBytesMax: null,
  chunk: `select bytes from chunk where server_id = $1 and epoch = (select epoch from server where server_id = $1)
    and slot = $2 and part = $3 and number = $4`,
};

/** Message that owns chunks. */
export interface PartOwner {
  readonly server: number;
  readonly epoch: number;
  readonly slot: string;
}

/** Compresses content for the tables. */
export async function packContent({ detail, raw }: Readonly<Record<ReadPart, Uint8Array>>): Promise<StoredContent> {
  const size = detail.length + raw.length;
  if (size > 0 && size <= togetherBytesMax) {
    const { bytes } = packTogether(detail, raw);
    return { detail: split(bytes), detailSize: detail.length, raw: null, rawSize: raw.length };
  }
  const [first, second] = [await packed(detail), await packed(raw)];
  return { detail: split(first.bytes), detailSize: first.size, raw: split(second.bytes), rawSize: second.size };
}

/** Frees the small parts of {@link packContent}, of which the garbage collector would let thousands pile up. */
export function discardContent({ detail, raw, detailSize, rawSize }: StoredContent): void {
  if (detail.chunks.length === 0) freeCompressed({ bytes: detail.inline, size: detailSize });
  if (raw !== null && raw.chunks.length === 0) freeCompressed({ bytes: raw.inline, size: rawSize });
}

/** Writes the chunks of a message. */
export function* writeChunks(owner: PartOwner, content: StoredContent): Query<void> {
  for (const part of ["detail", "raw"] as const) {
    const name = content[part]?.outside ?? null;
    if (name !== null) {
      yield* adopt(owner, { number: partNumbers[part], name });
      continue;
    }
    for (const [number, bytes] of (content[part]?.chunks ?? []).entries()) {
      yield* rowsOf("insert into chunk (server_id, epoch, slot, part, number, bytes) values ($1, $2, $3, $4, $5, $6)", [
        owner.server,
        owner.epoch,
        owner.slot,
        partNumbers[part],
        number,
        bytes,
      ]);
    }
  }
}

/** Shared buffer in which two parts are joined; each use ends before the next begins. */
const meeting = Buffer.allocUnsafeSlow(togetherBytesMax);

function packTogether(detail: Uint8Array, raw: Uint8Array): Compressed {
  meeting.set(detail);
  meeting.set(raw, detail.length);
  return compress(meeting.subarray(0, detail.length + raw.length));
}

function split(bytes: Uint8Array): StoredPart {
  if (bytes.length <= inlineBytesMax) return { inline: bytes, chunks: [], outside: null };
  return { inline: noBytes, chunks: splitColumn(bytes, chunkBytes), outside: null };
}

async function packed(bytes: Uint8Array): Promise<Compressed> {
  return bytes.length < asideBytesMin ? compress(bytes) : await compressAsync(bytes);
}
