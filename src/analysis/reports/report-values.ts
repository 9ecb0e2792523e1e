/** Values of reports, bounded. */

const valueLengthMax = 1000;
const largestCount = Number.MAX_SAFE_INTEGER;

/** Returns a text, trimmed and cut to 1,000 characters; null for an empty one and for values of other types. */
export function textOf(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  return text.trim().slice(0, valueLengthMax) || null;
}

/** Returns a result such as `pass` in lower case. */
export function resultOf(value: unknown): string | null {
  return textOf(value)?.toLowerCase() ?? null;
}

/** Returns a positive whole number; 0 for any other value. */
export function countOf(value: unknown): number {
  const number = typeof value === "string" && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/** Returns the sum of two counts, at most the largest safe integer. */
export function plus(one: number, other: number): number {
  return Math.min(largestCount, one + other);
}

/** Returns an instant in milliseconds since the Unix epoch as an ISO 8601 date; null for one beyond the years 1900 to 9999. */
export function isoOf(instant: number | null): string | null {
  if (instant === null || !(instant >= Date.UTC(1900, 0) && instant < Date.UTC(10_000, 0))) return null;
  return new Date(instant).toISOString();
}
