import { analysedLengthMax } from "./bounds.ts";

/** Returns what is analysed of a body: its first {@link analysedLengthMax} UTF-16 units, no character cut in two. */
export function analysedText(body: string): string {
  if (body.length <= analysedLengthMax) return body;
  const last = body.charCodeAt(analysedLengthMax - 1);
  return body.slice(0, last >= 0xd800 && last < 0xdc00 ? analysedLengthMax - 1 : analysedLengthMax);
}
