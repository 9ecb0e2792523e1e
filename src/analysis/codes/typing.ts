/** Normalises a text to the characters of a keyboard and removes what is never a code. */
import { codeTextLengthMax } from "../bounds.ts";
import { dropInvisible, invisibleClass } from "../visible-text.ts";
import { unitsOf } from "./units.ts";

/** Replacement of an address: not a letter, digit or space. */
export const addressMark = "\u0001";

// First digit of each set of ten in the Basic Multilingual Plane (Unicode General_Category Nd).
const zeros = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0xff10,
];
const digitSets = zeros.map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`).join("");
const nativeDigit = new RegExp(`[${digitSets}]`);
const fullwidthLetters = String.raw`\uff21-\uff3a\uff41-\uff5a\uff0d\uff1a\uff1d\uff03`;
const spaces = String.raw`\u00a0\u2000-\u200a\u202f\u205f\u3000`;
const dashes = String.raw`\u2010-\u2015\u2212`;
const fullwidthLetter = new RegExp(`[${fullwidthLetters}]`);
const space = new RegExp(`[${spaces}]`);
// One pass over the text instead of one for each kind.
const untyped = new RegExp(`[${digitSets}${fullwidthLetters}${spaces}${dashes}]`, "g");
const changing = new RegExp(`[${digitSets}${fullwidthLetters}${spaces}${dashes}${invisibleClass}]`);
const url =
  /(?:[a-z][a-z0-9+.-]{0,15}:\/\/|mailto:|www\.)[^\s<>"\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1b\uff1f]+/gi;
const urlMark = /:\/\/|mailto:|www\./gi;
/** As {@link urlMark} in texts without {@link rareMarkEnds}; V8 searches for one string many times as fast. */
const commonUrlMark = /:\/\//g;
/** Ends of `www.` and `mailto:`. */
const rareMarkEnds = ["w.", "W.", "o:", "O:"];
const schemeLengthMax = 16;
const emailAddress = /[\w.!#$%&'*+/=?^`{|}~-]{0,64}@[\w-]+(?:\.[\w-]+)*/g;
const emailMark = /@/g;
const localPartLengthMax = 64;
const markLengthMax = "mailto:".length;

/**
 * Returns the first {@link codeTextLengthMax} code units of `text` as a person would type them: native and fullwidth
 * digits in ASCII, no invisible characters, one kind of space and line end, URLs and email addresses replaced by {@link
 * addressMark}.
 */
export function asTyped(text: string): string {
  const head = text.slice(0, codeTextLengthMax).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const ascii = isAscii(head) || !mayChange(head) ? head : inBytes(dropInvisible(head).replace(untyped, inAscii));
  const noUrls = mayHaveUrls(ascii)
    ? markAddresses(ascii, url, { mark: urlMarkOf(ascii), reach: schemeLengthMax })
    : ascii;
  return markAddresses(noUrls, emailAddress, { mark: emailMark, reach: localPartLengthMax });
}

/** State of each UTF-16 code unit: 0 not compared yet, 1 unchanged, 2 changed or dropped. */
const unitStates = new Uint8Array(0x10000);

/** Returns whether a text has characters that {@link asTyped} changes: as `changing`, in a fifth of its time. */
function mayChange(text: string): boolean {
  const { units } = unitsOf(text);
  for (let at = 0; at < text.length; at++) {
    const unit = units[at] ?? 0;
    const state = unitStates[unit] ?? 0;
    if (state === 2 || (state === 0 && isChanging(unit))) return true;
  }
  return false;
}

function isChanging(unit: number): boolean {
  const is = changing.test(String.fromCharCode(unit));
  unitStates[unit] = is ? 2 : 1;
  return is;
}

/** Returns ASCII text in one byte per character, which V8 searches several times as fast as in the two bytes that it had. */
function inBytes(text: string): string {
  return isAscii(text) ? Buffer.from(text, "latin1").toString("latin1") : text;
}

/** Returns whether all characters are ASCII; much faster than a regular expression. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text, "utf8") === text.length;
}

/**
 * Replaces the matches of `address` by {@link addressMark}. Each of them contains a match of `mark` at most `reach` after its
 * start: searching for that first is much faster.
 */
function markAddresses(text: string, address: RegExp, { mark, reach }: { mark: RegExp; reach: number }): string {
  let marked = "";
  let end = 0;
  for (;;) {
    mark.lastIndex = end;
    if (!mark.test(text)) break;
    address.lastIndex = wordStart(text, Math.max(end, mark.lastIndex - markLengthMax - reach), mark.lastIndex);
    const found = address.exec(text);
    if (found === null) break;
    marked += text.slice(end, found.index) + addressMark;
    end = address.lastIndex;
  }
  return end === 0 ? text : marked + text.slice(end);
}

/** Returns the position after the last white space before a position, not before `from`. */
function wordStart(text: string, from: number, position: number): number {
  let start = position;
  while (start > from && text.charCodeAt(start - 1) > 0x20) start--;
  return start;
}

function urlMarkOf(text: string): RegExp {
  return rareMarkEnds.some((end) => text.includes(end)) ? urlMark : commonUrlMark;
}

function mayHaveUrls(text: string): boolean {
  return ["://", "www.", "WWW.", "@"].some((mark) => text.includes(mark));
}

function inAscii(character: string): string {
  if (space.test(character)) return " ";
  if (nativeDigit.test(character)) return String(digitValue(character.charCodeAt(0)));
  return fullwidthLetter.test(character) ? String.fromCharCode(character.charCodeAt(0) - 0xfee0) : "-";
}

function digitValue(code: number): number {
  for (const zero of zeros) if (code >= zero && code <= zero + 9) return code - zero;
  return 0;
}
