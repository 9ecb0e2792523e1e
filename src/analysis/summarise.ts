import { summaryLengthMax } from "./bounds.ts";
import { dropInvisible } from "./visible-text.ts";

/** Created on first use, because ICU takes 20 ms to load its rules. */
let graphemes: Intl.Segmenter | undefined;
const firstLookLength = summaryLengthMax * 2;
const lastLookLength = summaryLengthMax * 100;
// A family emoji takes eleven code units, a letter with accents rarely more than four.
const graphemeLengthMax = 32;

/**
 * Returns the first {@link summaryLengthMax} UTF-16 code units of a text on one line, white space collapsed, none at
 * its ends, never split inside a grapheme; "" for a text without visible characters.
 */
export function summarise(visibleText: string): string {
  const start = visibleText.search(/\S/);
  if (start < 0) return "";
  for (let length = firstLookLength; ; length *= 4) {
    const text = dropInvisible(visibleText.slice(start, start + length))
      .replace(/\s+/g, " ")
      .trim();
    if (text.length > summaryLengthMax + graphemeLengthMax) return text.slice(0, cutBefore(text)).trimEnd();
    const isAll = start + length >= visibleText.length || length >= lastLookLength;
    if (isAll) return text.length <= summaryLengthMax ? text : text.slice(0, cutBefore(text)).trimEnd();
  }
}

/** Returns the last grapheme boundary at or before the limit. */
function cutBefore(text: string): number {
  const from = summaryLengthMax - graphemeLengthMax;
  // None of these characters combines with another one, so the segmenter is not needed.
  if (/^[\x20-\x7e\u00a0-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]+$/.test(text.slice(from, summaryLengthMax + 1)))
    return summaryLengthMax;
  let cut = from;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { index, segment } of graphemes.segment(text.slice(from, summaryLengthMax + graphemeLengthMax))) {
    const end = from + index + segment.length;
    if (end > summaryLengthMax) return cut;
    cut = end;
  }
  return cut;
}
