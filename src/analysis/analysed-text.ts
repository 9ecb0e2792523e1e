import { analysedLengthMax } from "../core/limits.ts";

/**
 * Returns the analysed part of a body: its first {@link analysedLengthMax} UTF-16 code units, without splitting a
 * character.
 */
export function analysedText(body: string): string {
  if (body.length <= analysedLengthMax) return body;
  const last = body.charCodeAt(analysedLengthMax - 1);
  return body.slice(0, last >= 0xd800 && last < 0xdc00 ? analysedLengthMax - 1 : analysedLengthMax);
}
