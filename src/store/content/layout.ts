/** Layout of the content of messages in their rows, and errors of rows that have changed on the disk. */
import { decompress, decompressAsync, decompressRanges, withDecompressed } from "../compression.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";

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
 * time. Sizes are those before compression; null for a part that is empty, and for a body that is stored elsewhere.
 */
export interface ContentLayout {
  readonly detailSize: number | null;
  readonly rawSize: number | null;
  readonly bodySize: number | null;
  /** 1 or 0. */
  readonly isTogether: number;
}

/** Returns the expressions for the members of a layout, over columns with a prefix; `bodySize` is that of the body. */
export function layoutOf(prefix: string, bodySize: string): string {
  return `${prefix}detail_size as "detailSize", ${prefix}raw_size as "rawSize", ${bodySize} as "bodySize",
    case when ${prefix}raw is null then 1 else 0 end as "isTogether"`;
}

/** Parts of a larger size before compression are decompressed off the calling thread. */
const asideBytesMin = 128 * 1024;

/** Returns the column that holds a part. */
export function columnOf(part: ContentPart, layout: ContentLayout): ContentPart {
  return layout.isTogether === 1 ? "detail" : part;
}

/**
 * Returns a part from the column that {@link columnOf} returns. It shares its memory with no
 * other part, and with the column only where that is not compressed.
 */
export function readContent(column: Uint8Array, part: ContentPart, layout: ContentLayout): Uint8Array {
  const packed = { bytes: column, size: sizeOf(part, layout) };
  return layout.isTogether === 0 ? decompress(packed) : decompressRanges(packed, [placeOf(part, layout)])[0];
}

/** Works as {@link readContent}, off the calling thread for large parts. */
export async function readContentAside(
  column: Uint8Array,
  part: ContentPart,
  layout: ContentLayout,
): Promise<Uint8Array> {
  const size = sizeOf(part, layout);
  const isLarge = layout.isTogether === 0 && (size ?? 0) >= asideBytesMin;
  return isLarge ? await decompressAsync({ bytes: column, size }) : readContent(column, part, layout);
}

/** Returns the chunks of a column that is too large for one value. */
export function splitColumn(bytes: Uint8Array, chunkBytes: number): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
}

/** Returns the detail and the raw bytes of content in one frame, each in memory of its own. */
export function readTogether(column: Uint8Array, layout: ContentLayout): readonly [Uint8Array, Uint8Array] {
  const packed = { bytes: column, size: sizeOf("detail", layout) };
  return decompressRanges(packed, [placeOf("detail", layout), placeOf("raw", layout)]);
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

/** Returns the error of a damaged message; `cause` says what does not match. */
export function damagedMessage(id: MessageId, cause: string): Problem {
  return new Problem("data_damaged", { cause: new Error(`message ${id}: ${cause}`) });
}

/** Returns whether an error reports that stored bytes have changed on disk. */
export function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === "data_damaged";
}
