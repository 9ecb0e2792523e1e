import { compress, decompress, decompressRanges, freeCompressed, withDecompressed } from "../../compression.ts";
import type { MessageContent } from "../../raw-content.ts";
import { isDamage } from "./checksums.ts";

/** Large parts of a message. */
export interface Content {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
  /** Text that searches compare: folded, UTF-8. */
  readonly body: Uint8Array;
}

/** Name of a part of a message's content. */
export type ContentPart = keyof Content;

/**
 * Layout of content in its row. Together means: concatenated in one frame in the `detail` column, in the order of
 * {@link Content}, with the other columns null. The parts repeat each other, so that one frame takes far less space and
 * time. Sizes are those before compression; of parts stored separately, null where the part is not compressed.
 */
export interface ContentLayout {
  readonly detailSize: number | null;
  readonly rawSize: number | null;
  readonly bodySize: number | null;
  /** Boolean of SQLite: 1 or 0. */
  readonly isTogether: number;
}

/** Content as its row stores it. */
export interface ContentColumns extends Omit<ContentLayout, "isTogether"> {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array | null;
  readonly body: Uint8Array | null;
  /** Chunks of the raw bytes where they are too large for one column, which is then empty. */
  readonly rawChunks: readonly Uint8Array[];
}

/** Expressions over the `content` table for the members of a layout. */
export const layoutColumns =
  "detail_size as detailSize, raw_size as rawSize, body_size as bodySize, raw is null as isTogether";

const noBytes = new Uint8Array(0);
/** Raw bytes of a larger stored size are split into rows, because SQLite reads only complete columns. */
const rawColumnBytesMax = 1024 * 1024;
/** Size of a row of raw bytes. */
export const rawChunkBytes: number = 256 * 1024;

/** Parts of a larger size before compression are stored separately, so that reading one does not read the others. */
const togetherBytesMax = 192 * 1024;

/** Content and, as `whole`, the concatenation of its parts in the order of {@link Content}. */
export interface WholeContent extends Content {
  readonly whole: Uint8Array;
}

/** Compresses content for its row, passes the columns to `write`, and frees their buffers. */
export function writeContent<Result>(content: WholeContent, write: (columns: ContentColumns) => Result): Result {
  const { detail, raw, body, whole } = content;
  const together = whole.length <= togetherBytesMax ? compress(whole) : undefined;
  if (together !== undefined && together.size !== null) {
    const sizes = { detailSize: detail.length, rawSize: raw.length, bodySize: body.length };
    const result = write({ ...sizes, detail: together.bytes, raw: null, body: null, rawChunks: [] });
    freeCompressed(together);
    return result;
  }
  const [first, second, third] = [compress(detail), compress(raw), compress(body)];
  const sizes = { detailSize: first.size, rawSize: second.size, bodySize: third.size };
  const rawChunks = second.bytes.length > rawColumnBytesMax ? split(second.bytes) : [];
  const rawColumn = rawChunks.length > 0 ? noBytes : second.bytes;
  const result = write({ ...sizes, detail: first.bytes, raw: rawColumn, body: third.bytes, rawChunks });
  for (const compressed of [first, second, third]) freeCompressed(compressed);
  return result;
}

function split(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / rawChunkBytes);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * rawChunkBytes, (at + 1) * rawChunkBytes));
}

/** Returns the column that holds a part. */
export function columnOf(part: ContentPart, layout: ContentLayout): ContentPart {
  return layout.isTogether === 1 ? "detail" : part;
}

/**
 * Returns a part that {@link writeContent} wrote, from the column that {@link columnOf} returns. It shares its memory with no
 * other part, and with the column only where that is not compressed.
 */
export function readContent(column: Uint8Array, part: ContentPart, layout: ContentLayout): Uint8Array {
  const packed = { bytes: column, size: sizeOf(part, layout) };
  return layout.isTogether === 0 ? decompress(packed) : decompressRanges(packed, [placeOf(part, layout)])[0];
}

/** Returns the detail from its column, and the raw bytes where they are in the same frame, each in memory of its own. */
export function readMessageContent(column: Uint8Array, layout: ContentLayout): MessageContent {
  if (layout.isTogether === 0) return { detail: readContent(column, "detail", layout), raw: null };
  const packed = { bytes: column, size: sizeOf("detail", layout) };
  const [detail, raw] = decompressRanges(packed, [placeOf("detail", layout), placeOf("raw", layout)]);
  return { detail, raw };
}

/**
 * Calls `borrow` with what {@link readContent} returns, then frees that buffer and the column's, which must not be shared;
 * columns are not. Returns undefined when the column is damaged.
 */
export function withContent<Result>(
  part: ContentPart,
  { column, ...layout }: ContentLayout & { readonly column: Uint8Array },
  borrow: (plain: Buffer) => Result,
): Result | undefined {
  try {
    return withDecompressed({ bytes: column, size: sizeOf(part, layout) }, (plain) =>
      borrow(slice(plain, part, layout)),
    );
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Returns the number of bytes that {@link withContent} decompresses. */
export function decompressedBytes(
  part: ContentPart,
  { column, ...layout }: ContentLayout & { readonly column: Uint8Array },
): number {
  return sizeOf(part, layout) ?? column.length;
}

/** Returns the decompressed size of the column that holds a part; null where it is not compressed. */
function sizeOf(part: ContentPart, { detailSize, rawSize, bodySize, isTogether }: ContentLayout): number | null {
  if (isTogether === 1) return (detailSize ?? 0) + (rawSize ?? 0) + (bodySize ?? 0);
  return { detail: detailSize, raw: rawSize, body: bodySize }[part];
}

function slice(plain: Buffer, part: ContentPart, layout: ContentLayout): Buffer {
  return layout.isTogether === 0 ? plain : plain.subarray(...placeOf(part, layout));
}

/** Returns the start and the end of a part in the frame of all. */
function placeOf(part: ContentPart, { detailSize, rawSize, bodySize }: ContentLayout): [start: number, end: number] {
  const rawStart = detailSize ?? 0;
  const bodyStart = rawStart + (rawSize ?? 0);
  const end = bodyStart + (bodySize ?? 0);
  const places: Record<ContentPart, [number, number]> = {
    detail: [0, rawStart],
    raw: [rawStart, bodyStart],
    body: [bodyStart, end],
  };
  return places[part];
}
