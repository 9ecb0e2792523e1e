import type { Code } from "../../core/message.ts";
import { candidateCountMax, codeCountMax } from "../bounds.ts";
import { findCandidates } from "./candidates.ts";
import { Context } from "./context.ts";
import { withoutEncodedBlocks } from "./encoded-blocks.ts";
import { isCode } from "./evidence.ts";
import { asTyped, isAscii } from "./typing.ts";

// `@example.com #123456` on the last line, as browsers read it (WICG: Origin-bound one-time codes).
const originBound = /^@[a-z0-9.-]{1,253} #([a-z0-9]{4,10})(?:[ %].*)?$/i;

/**
 * Returns the one-time codes, PINs and passcodes of a visible text, in the order of their first occurrence, each once,
 * as a person would type them: groups of digits joined, the prefix of `G-482913` removed, digits of any script in
 * ASCII, letters as shown, between 4 and 12 characters. The words around a number decide whether it is a code, in any
 * of the languages of `words.ts`, else its form and place. Nothing inside a URL or an email address is a code.
 *
 * Linear in the text, never throws. Wrong results are possible both ways; docs/reference/message.md documents how
 * often. Searches find the codes that were found when a message was stored.
 */
export function findCodes(visibleText: string): Code[] {
  const values = valuesOf(visibleText, { candidateMax: Infinity, known: new Set() }) ?? [];
  return values.map((value) => ({ value }));
}

/**
 * Returns the codes that {@link findCodes} finds in the texts of one mail, each once, in order; null when more than
 * `candidateMax` words of a text have the form of a code, each of which takes up to 40 µs.
 */
export function findCodesOfTexts(texts: readonly string[], candidateMax: number): string[] | null {
  const known = new Set<string>();
  for (const text of texts) {
    const values = valuesOf(text, { candidateMax, known });
    if (values === null) return null;
    for (const value of values) known.add(value);
  }
  return [...known];
}

interface Search {
  readonly candidateMax: number;
  /** Codes of other texts of the same mail; whether this text shows them as codes need not be found out. */
  readonly known: ReadonlySet<string>;
}

function valuesOf(visibleText: string, { candidateMax, known }: Search): string[] | null {
  if (!mayHaveCodes(visibleText)) return [];
  const typed = asTyped(withoutEncodedBlocks(visibleText));
  const candidates = findCandidates(typed, candidateCountMax, candidateMax + 1);
  if (candidates.length > candidateMax) return null;
  // Among more candidates than codes are listed, only those count that this text shows as codes.
  const skipsKnown = candidates.length <= codeCountMax;
  const unknown = skipsKnown ? candidates.filter(({ value }) => !known.has(value)) : candidates;
  const bound = originBoundCode(visibleText);
  if (unknown.length === 0) return bound === null ? [] : [bound];
  const context = new Context(typed, candidates);
  const values = new Set<string>();
  for (const candidate of unknown) {
    if (values.size >= codeCountMax) break;
    if (values.has(candidate.value)) continue;
    if (candidate.value === bound || isCode(candidate, context)) values.add(candidate.value);
  }
  if (bound !== null) values.add(bound);
  return [...values];
}

/** Returns whether the text has digits, words in capitals, or characters beyond ASCII, which may be digits of other scripts. */
function mayHaveCodes(text: string): boolean {
  // One regular expression for all of them takes three times as long for a text without any, and longer if a digit is late.
  return /\d/.test(text) || !isAscii(text) || /[A-Z]{4}/.test(text);
}

function originBoundCode(text: string): string | null {
  if (!text.includes("#")) return null;
  const trimmed = text.trimEnd();
  const lastLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1).slice(0, 400);
  return originBound.exec(lastLine)?.[1] ?? null;
}
