/** Texts of a mail without what differs from one sending to the next, one text node at a time. */
import type { MaskedValue } from "../../core/snapshot.ts";
import { findCodes } from "../codes/find-codes.ts";
import { normaliseText, mask } from "../duplicates/normalise-text.ts";

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

// Names in place of values that a test knows.

/** Characters that stand for names while a text is masked (Supplementary Private Use Area-B), in the order of the names. */
const firstMark = 0x10f000;
const marks = /[\u{10f000}-\u{10fffd}]/gu;

/** Port of a service that runs on the machine of the test. */
const localPort = /\b(localhost|127\.0\.0\.1|\[::1\]):\d{1,5}(?!\d)/gi;
const port = "port";

/** Replaces values by marks, and marks by names. */
export interface NamedValues {
  /**
   * Replaces the values, also percent-encoded ones, in any letter case, but not within longer words and numbers; and the
   * ports of services on this machine.
   */
  readonly mark: (text: string) => string;
  /** Replaces each mark by its name in braces. */
  readonly name: (text: string) => string;
}

/** Returns the replacements of values; the longest one applies. Linear in the text for given values. */
export function namedValues(values: readonly MaskedValue[]): NamedValues {
  const names = [port, ...new Set(values.map(({ name }) => name))];
  const markOf = new Map<string, string>();
  for (const { name, value } of values) {
    const mark = String.fromCodePoint(firstMark + names.indexOf(name));
    for (const form of formsOf(value)) if (!markOf.has(form)) markOf.set(form, mark);
  }
  const alternatives = [...markOf.keys()]
    .toSorted((one, other) => other.length - one.length)
    .map((form) => `${edge("<", form.at(0))}${RegExp.escape(form)}${edge("", form.at(-1))}`);
  const pattern = alternatives.length === 0 ? null : new RegExp(alternatives.join("|"), "giu");
  return {
    mark: (text) => {
      const own = text.replaceAll(marks, "\uFFFD").replaceAll(localPort, `$1:${String.fromCodePoint(firstMark)}`);
      return pattern === null ? own : own.replace(pattern, (found) => markOf.get(found.toLowerCase()) ?? found);
    },
    name: (text) =>
      text.replaceAll(marks, (mark) => `{${names[(mark.codePointAt(0) ?? firstMark) - firstMark] ?? ""}}`),
  };
}

/** Returns a value as it is written in texts, URLs and forms, in lower case. */
function formsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value);
  return [value, encoded, encoded.replaceAll("%20", "+")].map((form) => form.toLowerCase());
}

/** Returns the condition that a word does not go on beyond the first or last character of a value. */
function edge(direction: "<" | "", character = ""): string {
  return /[\p{L}\p{N}]/u.test(character) ? `(?${direction}![\\p{L}\\p{N}])` : "";
}
