import type { Code } from "../../core/message.ts";
import { candidateCountMax, codeCountMax } from "../bounds.ts";
import { findCandidates } from "./candidates.ts";
import { hasCapitals } from "./tokens.ts";
import { Context } from "./context.ts";
import { isCode } from "./evidence.ts";
import { asTyped, isAscii } from "./typing.ts";
import { unitsOf } from "./units.ts";

// `@example.com #123456` on the last line, as browsers read it (WICG: Origin-bound one-time codes).
const originBound = /^@[a-z0-9.-]{1,253} #([a-z0-9]{4,10})(?:[ %].*)?$/i;

/**
 * Returns the one-time codes, PINs and passcodes of a visible text, in the order of their first occurrence, each once,
 * as a person would type them: groups of digits joined, the prefix of `G-482913` removed, digits of any script in
 * ASCII, letters as shown, between 4 and 12 characters. The words around a number decide whether it is a code, in any
 * of the languages of `words.ts`, else its form and place. Nothing inside a URL or an email address is a code.
 *
 * Linear in the text. Throws {@link TooManyCandidates} when more than `candidateMax` words have the form of a code, each of
 * which takes up to 8 µs, and nothing else. Wrong results are possible both ways; docs/reference/message.md documents how
 * often. Searches find the codes that were found when a message was stored.
 */
export function findCodes(visibleText: string, candidateMax: number = Infinity): Code[] {
  return valuesOf(visibleText, { candidateMax, known: new Set() }).map((value) => ({ value }));
}

/** Returns the codes that {@link findCodes} finds in the texts of one mail, each once, in order. Throws as it does. */
export function findCodesOfTexts(texts: readonly string[], candidateMax: number = Infinity): string[] {
  const known = new Set<string>();
  for (const text of texts) {
    for (const value of valuesOf(text, { candidateMax, known })) known.add(value);
  }
  return [...known];
}

/** Thrown when more words of a text have the form of a code than may be evaluated. */
export class TooManyCandidates extends Error {}

interface Search {
  readonly candidateMax: number;
  /** Codes of other texts of the same mail; whether this text shows them as codes need not be found out. */
  readonly known: ReadonlySet<string>;
}

function valuesOf(visibleText: string, { candidateMax, known }: Search): string[] {
  if (!mayHaveCodes(visibleText)) return [];
  const typed = asTyped(withoutEncodedBlocks(visibleText));
  const candidates = findCandidates(typed, candidateCountMax, candidateMax + 1);
  if (candidates.length > candidateMax) throw new TooManyCandidates(`more than ${candidateMax} words could be codes`);
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
  return /\d/.test(text) || !isAscii(text) || hasCapitals(unitsOf(text));
}

function originBoundCode(text: string): string | null {
  if (!text.includes("#")) return null;
  const trimmed = text.trimEnd();
  const lastLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1).slice(0, 400);
  return originBound.exec(lastLine)?.[1] ?? null;
}

/** Files and patches that a text contains, whose lines have words with the form of a code. */

type Block = "file" | "armour" | "patch";

const quotes = "[> \\t]{0,20}";
const quotesBefore = new RegExp(`^${quotes}`);
/** First lines of blocks, without the quotation marks before them. */
const firstLines = {
  /** `begin 644 report.pdf`, and `begin-base64` (POSIX uuencode). */
  file: String.raw`begin(?:-base64)? [0-7]{3,4} \S`,
  /** Full line of uuencode: `M` and 60 characters, or fewer where blanks at the end were lost. */
  fullLine: String.raw`M[\x20-\x60]{50,60}$`,
  /** Start of PGP or PEM armour, except that of signed text. */
  armour: "-----BEGIN (?!PGP SIGNED)[A-Z0-9 ]{1,60}-----",
  /** Start of a patch of git, or one of its lines alone: `index 587be6b..b77b4eb 100644`. */
  patch: String.raw`diff --git \S|index [0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)`,
} as const;
const fileStart = new RegExp(`^${quotes}(?:${firstLines.file}|${firstLines.fullLine})`, "m");
const armourStart = new RegExp(`^${quotes}(?:${firstLines.armour})`, "m");
const patchStart = new RegExp(`^${quotes}(?:${firstLines.patch})`, "m");
const anyStart = `${quotes}(?:${Object.values(firstLines).join("|")})`;
const startAtBegin = new RegExp(anyStart, "my");
/** Spelled out instead of `^`, because V8 searches for line ends by SIMD instructions. */
const startOnLaterLine = new RegExp(String.raw`[\n\r\u2028\u2029]${anyStart}`, "m");
/** Line within a patch: of its header, or the start of one of a hunk. */
const patchLine =
  /^(?:[> \r]*$|(?:> ?)*(?:[ +\\-]|@@ |(?:index|similarity index|rename|copy|(?:new|deleted) file mode|(?:old|new) mode) ))/;
const base64Line = /^[A-Za-z0-9+/]{1,100}={0,3}$/;
const armourField = /^(?:[A-Z][A-Za-z-]{1,20}: |-----END |=[A-Za-z0-9+/]{4}$)/;
/** Blanks at the end of a line of uuencode that a mailer may have removed. */
const lostBlankCountMax = 8;

/**
 * Returns a text whose lines of uuencode, of PGP or PEM armour and of patches are empty. A file begins with its first line, or with a full
 * line where it was split over several mails, and ends with the first line that is not in its encoding. Linear.
 */
export function withoutEncodedBlocks(text: string): string {
  startAtBegin.lastIndex = 0;
  if (!startAtBegin.test(text) && !startOnLaterLine.test(text)) return text;
  let block: Block | null = null;
  const lines = text.split("\n").map((line) => {
    const isStart: Block | null = startOf(line);
    block = isStart ?? (isWithin(block, line) ? block : null);
    return block === null ? line : "";
  });
  return lines.join("\n");
}

function startOf(line: string): Block | null {
  if (fileStart.test(line)) return "file";
  if (armourStart.test(line)) return "armour";
  return patchStart.test(line) ? "patch" : null;
}

function isWithin(block: Block | null, quoted: string): boolean {
  if (block === null) return false;
  if (block === "patch") return patchLine.test(quoted);
  const line = quoted.replace(quotesBefore, "").trimEnd();
  if (line === "" || base64Line.test(line)) return true;
  return block === "armour" ? armourField.test(line) : line === "end" || line === "====" || isUuencoded(line);
}

/** Returns whether a line has the characters of uuencode, and as many as its first one says. */
function isUuencoded(line: string): boolean {
  if (!/^[\x20-\x60]{1,100}$/.test(line)) return false;
  const declared = 4 * Math.ceil(((line.charCodeAt(0) - 32) & 63) / 3);
  return line.length - 1 <= declared + 1 && line.length - 1 >= declared - lostBlankCountMax;
}
