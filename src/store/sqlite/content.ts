import { discard, pack, unpack } from "../compression.ts";

/** The large parts of a message. */
export interface Content {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
}

/** Name of one of them. */
export type ContentPart = keyof Content;

/**
 * How content lies in its row. Together means: in one frame in the `detail` column, the detail in front, and `raw` null.
 * They say much the same, so that together they take far less room and time.
 */
export interface ContentLayout {
  /** Size of the detail before compression; null where it is not compressed. */
  readonly detailSize: number | null;
  readonly rawSize: number | null;
  /** SQLite's truth: 1 or 0. */
  readonly isTogether: number;
}

/** Content as it lies in its row. */
export interface ContentColumns extends Omit<ContentLayout, "isTogether"> {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array | null;
}

/** Above this plain size the parts lie apart, so that reading one is not slowed by the other. */
const togetherBytesMax = 256 * 1024;

/** Packs content for its row, hands the columns to `write`, and frees them. */
export function writeContent<Result>({ detail, raw }: Content, write: (columns: ContentColumns) => Result): Result {
  const together = detail.length + raw.length <= togetherBytesMax ? pack(Buffer.concat([detail, raw])) : undefined;
  if (together !== undefined && together.size !== null) {
    const result = write({ detail: together.bytes, detailSize: detail.length, raw: null, rawSize: raw.length });
    discard(together);
    return result;
  }
  const [first, second] = [pack(detail), pack(raw)];
  const result = write({ detail: first.bytes, detailSize: first.size, raw: second.bytes, rawSize: second.size });
  discard(first);
  discard(second);
  return result;
}

/** The column that holds a part. */
export function columnOf(part: ContentPart, layout: ContentLayout): ContentPart {
  return layout.isTogether === 1 ? "detail" : part;
}

/** One part of what {@link writeContent} wrote, from the column that {@link columnOf} names. */
export function readContent(column: Uint8Array, part: ContentPart, layout: ContentLayout): Uint8Array {
  const { detailSize, rawSize, isTogether } = layout;
  if (isTogether === 0) return unpack({ bytes: column, size: part === "detail" ? detailSize : rawSize });
  const split = detailSize ?? 0;
  const both = unpack({ bytes: column, size: split + (rawSize ?? 0) });
  return part === "detail" ? both.subarray(0, split) : both.subarray(split);
}
