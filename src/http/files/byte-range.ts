/** Range of bytes, both ends included (RFC 9110 §14.1.2). */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const single = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Parses a Range field for content of `length` bytes. Returns one range, `unsatisfiable` when it lies outside, or
 * undefined when the field is to be ignored (RFC 9110 §14.2): absent, malformed, of another unit, or with several
 * ranges.
 */
export function parseByteRange(field: string | undefined, length: number): ByteRange | "unsatisfiable" | undefined {
  const match = field === undefined ? null : single.exec(field);
  if (match === null) return undefined;
  const [, from = "", to = ""] = match;
  if (from === "" && to === "") return undefined;
  if (from === "") return suffix(Number(to), length);
  const first = Number(from);
  const last = to === "" ? Infinity : Number(to);
  if (last < first) return undefined;
  return first >= length ? "unsatisfiable" : { first, last: Math.min(last, length - 1) };
}

function suffix(count: number, length: number): ByteRange | "unsatisfiable" {
  return count === 0 || length === 0 ? "unsatisfiable" : { first: Math.max(0, length - count), last: length - 1 };
}
