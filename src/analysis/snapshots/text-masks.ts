/** Texts of a mail without what differs from one sending to the next, one text node at a time. */
import type { MaskedValue } from "../../core/snapshot.ts";
import { findCodes } from "../codes/find-codes.ts";
import { normaliseText } from "../duplicates/normalise-text.ts";
import { mask } from "../duplicates/normalise-url.ts";
import { namedValues } from "./named-values.ts";

/** Characters of visible text in which values are found. */
const visibleLengthMax = 262_144;
/** Values that are found by the words before them, and shortest one: a shorter one is also part of other texts. */
const foundCountMax = 500;
const foundLengthMin = 4;

/**
 * Returns a function that masks one text of a mail as its snapshot does: `{*}` for what differs from one sending to the next, and
 * the names of `values`. Values that only the words before them identify, as in "Order <b>A-1234</b>", are found in the whole
 * visible text. Texts without such values stay as they are. Linear in the text; never throws.
 */
export function textMasks(visibleText: string, values: readonly MaskedValue[]): (text: string) => string {
  const given = namedValues(values);
  const visible = visibleText.slice(0, visibleLengthMax).toWellFormed();
  const codes = [...new Set(findCodes(visible).map(({ value }) => value))];
  const found = visible
    .split(/[\r\n]+/)
    .flatMap((line) => normaliseText(given.mark(line), codes).values)
    .filter((value) => value.length >= foundLengthMin && !value.includes(mask) && given.name(value) === value);
  const distinct = [...new Set(found)].slice(0, foundCountMax);
  const names = namedValues([...values, ...distinct.map((value) => ({ name: "*", value }))]);
  const maskLine = (line: string): string => {
    const marked = names.mark(line);
    const { text, values: masked } = normaliseText(marked, codes);
    if (marked === line && masked.length === 0) return line;
    const before = line.slice(0, line.length - line.trimStart().length);
    return before + names.name(text.replaceAll(mask, "{*}")) + line.slice(line.trimEnd().length);
  };
  return (text) => text.replaceAll(/[^\r\n]+/g, maskLine);
}
