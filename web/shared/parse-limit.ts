/** Parses a limit in units, at least `least`; returns null for an empty text and undefined for an invalid one. */
export function parseLimit(text: string, unit: number, least = 1): number | null | undefined {
  if (text.trim() === "") return null;
  const limit = Math.round(Number(text) * unit);
  return Number.isSafeInteger(limit) && limit >= least ? limit : undefined;
}
