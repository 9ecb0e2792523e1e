/** Half-open range of UTF-16 code units of a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds all occurrences of terms in a text, in the normal form of searches: without letter case and invisible characters, white
 * space as one blank, letters composed with their marks. The ranges are in order, do not overlap or touch, and never split a
 * surrogate pair.
 */
export function findRanges(text: string, terms: readonly string[]): readonly TextRange[] {
  const { folded, starts } = fold(text);
  const found: TextRange[] = [];
  for (const term of terms) {
    const wanted = fold(term).folded;
    if (wanted === "") continue;
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
      const start = starts[at] ?? 0;
      // A code point that folds to several is marked as a whole.
      let after = at + wanted.length;
      while (after < folded.length && starts[after] === starts[after - 1]) after += 1;
      found.push({ start, end: starts[after] ?? text.length });
    }
  }
  return merge(found.toSorted((one, other) => one.start - other.start));
}

const blank = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000]";
const invisible =
  "[\\0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e03ff}]";
/** Runs of white space and invisible characters, and letters with their marks: as `src/core/fold.ts` has them. */
const pieces = new RegExp(`(?<blanks>(?:${blank}|${invisible})+)|(?:[^](?:\\p{M}|${invisible})*)`, "gu");
const hasBlank = new RegExp(blank);
const invisibles = new RegExp(invisible, "gu");

/** Returns the folded text, and for each of its code units the offset of the piece of the text that it comes from. */
function fold(text: string): { readonly folded: string; readonly starts: readonly number[] } {
  let folded = "";
  const starts: number[] = [];
  for (const match of text.matchAll(pieces)) {
    const [piece] = match;
    const form = match.groups?.["blanks"] === undefined ? foldLetter(piece) : hasBlank.test(piece) ? " " : "";
    for (let unit = 0; unit < form.length; unit += 1) starts.push(match.index);
    folded += form;
  }
  return { folded, starts };
}

function foldLetter(letter: string): string {
  const composed = letter.replaceAll(invisibles, "").normalize("NFC").toLowerCase();
  return composed.replace("ς", "σ").replace("ſ", "s").replace("ẛ", "ṡ");
}

function merge(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else merged.push(range);
  }
  return merged;
}
