/** Parses a limit in units; returns null for an empty text and undefined for an invalid one. */
export function parseLimit(text: string, unit: number): number | null | undefined {
  if (text.trim() === "") return null;
  const limit = Math.round(Number(text) * unit);
  return Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}
