/** Half-open range of UTF-16 code units of a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds all occurrences of terms in a text, ignoring letter case as searches do. The ranges are in order, do not overlap or
 * touch, and never split a surrogate pair.
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

/** Returns the folded text, and for each of its code units the offset of the code point that it comes from. */
function fold(text: string): { readonly folded: string; readonly starts: readonly number[] } {
  let folded = "";
  const starts: number[] = [];
  let at = 0;
  for (const character of text) {
    const lower = character.toLowerCase().replace("ς", "σ").replace("ſ", "s");
    for (let unit = 0; unit < lower.length; unit += 1) starts.push(at);
    folded += lower;
    at += character.length;
  }
  return { folded, starts };
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
