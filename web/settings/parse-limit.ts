/** Returns a bound of so many units; null for an empty text, undefined for a text that is no bound. */
export function parseLimit(text: string, unit: number): number | null | undefined {
  if (text.trim() === "") return null;
  const bound = Math.round(Number(text) * unit);
  return Number.isSafeInteger(bound) && bound >= 1 ? bound : undefined;
}
