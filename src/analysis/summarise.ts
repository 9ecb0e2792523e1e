import { summaryLengthMax } from "./bounds.ts";
import { dropInvisible } from "./invisible-characters.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
// White space may fill most of what is looked at, and one emoji of a family can take eleven units.
const lookedAtLength = summaryLengthMax * 20;
const graphemeLengthMax = 32;

/**
 * The first {@link summaryLengthMax} UTF-16 units of a text on one line, white space collapsed, no white space at its
 * ends, never cut within a character as a reader sees it; "" for a text without visible characters.
 */
export function summarise(visibleText: string): string {
  const start = visibleText.search(/\S/);
  if (start < 0) return "";
  const text = dropInvisible(visibleText.slice(start, start + lookedAtLength))
    .replace(/\s+/g, " ")
    .trim();
  return text.length <= summaryLengthMax ? text : text.slice(0, cutBefore(text, summaryLengthMax)).trimEnd();
}

/** Greatest boundary between characters that is not behind `length`. */
function cutBefore(text: string, length: number): number {
  const from = Math.max(0, length - graphemeLengthMax);
  // ASCII has no combining characters; the segmenter is only asked about other text.
  if (/^[\x20-\x7e]+$/.test(text.slice(from, length + 1))) return length;
  let cut = from;
  for (const { index, segment } of graphemes.segment(text.slice(from, length + graphemeLengthMax))) {
    if (from + index + segment.length > length) return from + index;
    cut = from + index + segment.length;
  }
  return Math.min(cut, length);
}
