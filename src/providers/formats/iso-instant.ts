const isoInstant = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const offset = /(?:Z|[+-]\d\d:?\d\d)$/;
const dateLength = "2026-01-31".length;

/**
 * Returns milliseconds since the Unix epoch for an ISO 8601 date or date-time with a space or `T` between date and time, in
 * UTC unless it has an offset; undefined for anything else.
 */
export function readIsoInstant(text: string): number | undefined {
  if (!isoInstant.test(text)) return undefined;
  const hasOffset = text.length === dateLength || offset.test(text);
  const instant = Date.parse(`${text.replace(" ", "T")}${hasOffset ? "" : "Z"}`);
  return Number.isNaN(instant) ? undefined : instant;
}
