import { discard, lendUnpacked, pack, unpack } from "../../compression.ts";
import { isDamage } from "./checksums.ts";

/** The large parts of a message. */
export interface Content {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
  /** What searches compare: folded, UTF-8. */
  readonly body: Uint8Array;
}

/** Name of one of them. */
export type ContentPart = keyof Content;

/**
 * How content lies in its row. Together means: in one frame in the `detail` column, one behind the other as
 * {@link Content} names them, and the other columns null. They say much the same, so that together they take far less
 * room and time. Sizes are plain ones; of parts that lie apart, null where the part is not compressed.
 */
export interface ContentLayout {
  readonly detailSize: number | null;
  readonly rawSize: number | null;
  readonly bodySize: number | null;
  /** SQLite's truth: 1 or 0. */
  readonly isTogether: number;
}

/** Content as it lies in its row. */
export interface ContentColumns extends Omit<ContentLayout, "isTogether"> {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array | null;
  readonly body: Uint8Array | null;
  /** Pieces of the raw bytes where they are too large for one column, which is empty then. */
  readonly rawChunks: readonly Uint8Array[];
}

/** Expressions over the `content` table for the members of a layout. */
export const layoutColumns =
  "detail_size as detailSize, raw_size as rawSize, body_size as bodySize, raw is null as isTogether";

const noBytes = new Uint8Array(0);
/** Above this stored size the raw bytes lie in rows of their own, because SQLite reads a column only as a whole. */
const rawColumnBytesMax = 1024 * 1024;
/** Size of such a row. */
export const rawChunkBytes: number = 256 * 1024;

/** Above this plain size the parts lie apart, so that reading one is not slowed by the others. */
const togetherBytesMax = 192 * 1024;

/** Content of which `whole` is all parts, one behind the other as {@link Content} names them. */
export interface WholeContent extends Content {
  readonly whole: Uint8Array;
}

/** Packs content for its row, hands the columns to `write`, and frees them. */
export function writeContent<Result>(content: WholeContent, write: (columns: ContentColumns) => Result): Result {
  const { detail, raw, body, whole } = content;
  const together = whole.length <= togetherBytesMax ? pack(whole) : undefined;
  if (together !== undefined && together.size !== null) {
    const sizes = { detailSize: detail.length, rawSize: raw.length, bodySize: body.length };
    const result = write({ ...sizes, detail: together.bytes, raw: null, body: null, rawChunks: [] });
    discard(together);
    return result;
  }
  const [first, second, third] = [pack(detail), pack(raw), pack(body)];
  const sizes = { detailSize: first.size, rawSize: second.size, bodySize: third.size };
  const rawChunks = second.bytes.length > rawColumnBytesMax ? split(second.bytes) : [];
  const rawColumn = rawChunks.length > 0 ? noBytes : second.bytes;
  const result = write({ ...sizes, detail: first.bytes, raw: rawColumn, body: third.bytes, rawChunks });
  for (const packed of [first, second, third]) discard(packed);
  return result;
}

function split(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / rawChunkBytes);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * rawChunkBytes, (at + 1) * rawChunkBytes));
}

/** The column that holds a part. */
export function columnOf(part: ContentPart, layout: ContentLayout): ContentPart {
  return layout.isTogether === 1 ? "detail" : part;
}

/** One part of what {@link writeContent} wrote, from the column that {@link columnOf} names. */
export function readContent(column: Uint8Array, part: ContentPart, layout: ContentLayout): Uint8Array {
  return cut(unpack({ bytes: column, size: sizeOf(part, layout) }), part, layout);
}

/**
 * Lends out what {@link readContent} answers. Uses up the column, which must be a buffer of its own, as columns are: it
 * leaves no garbage, however often it is called. Undefined when the column is damaged: nothing can be found in it.
 */
export function lendContent<Result>(
  part: ContentPart,
  { column, ...layout }: ContentLayout & { readonly column: Uint8Array },
  borrow: (plain: Buffer) => Result,
): Result | undefined {
  try {
    return lendUnpacked({ bytes: column, size: sizeOf(part, layout) }, (plain) => borrow(cut(plain, part, layout)));
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Returns how many bytes {@link lendContent} unpacks. */
export function unpackedBytes(
  part: ContentPart,
  { column, ...layout }: ContentLayout & { readonly column: Uint8Array },
): number {
  return sizeOf(part, layout) ?? column.length;
}

/** Plain size of the column that holds a part; null where it is not compressed. */
function sizeOf(part: ContentPart, { detailSize, rawSize, bodySize, isTogether }: ContentLayout): number | null {
  if (isTogether === 1) return (detailSize ?? 0) + (rawSize ?? 0) + (bodySize ?? 0);
  return { detail: detailSize, raw: rawSize, body: bodySize }[part];
}

function cut<Bytes extends Uint8Array>(plain: Bytes, part: ContentPart, layout: ContentLayout): Bytes {
  if (layout.isTogether === 0) return plain;
  const rawStart = layout.detailSize ?? 0;
  const bodyStart = rawStart + (layout.rawSize ?? 0);
  const [start, end] = { detail: [0, rawStart], raw: [rawStart, bodyStart], body: [bodyStart, undefined] }[part];
  return plain.subarray(start, end) as Bytes;
}
