/**
 * Normal form of searchable text. Text and pattern are both folded, in every store and at every interface, so that what a
 * person reads is found.
 */
import { domainToASCII, domainToUnicode } from "node:url";
import type { Contact } from "./message.ts";

/** Length of the slices in which long texts are folded, in UTF-16 code units. */
const sliceLength = 32 * 1024;
const beyondAscii = /[^\0-\u007f]/;
const beyondLatin = /[\u0100-\uffff]/;
/** Next line, no-break space and soft hyphen. */
const latinSpecials = ["\u0085", "\u00a0", "\u00ad"];
/** Composition changes no text below (Unicode Standard Annex 15: `NFC_Quick_Check`). */
const composable = /[\u0300-\uffff]/;
/** White space of ASCII that is not one blank; spelled out, because engines compare ranges fastest. */
const asciiBlanks = /[\t-\r][\t-\r ]*| [\t-\r ]+/g;
const blank = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000`;
const otherBlanks = new RegExp(`[${blank}]{2,}|(?! )[${blank}]`, "g");
/** Soft hyphen, joiners, fillers, zero-width and directional characters, variation selectors, tags. */
const invisible = String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]`;
const invisibles = new RegExp(invisible, "g");

/** Runs of white space with what is invisible between, and letters with their marks. */
const pieces = new RegExp(`(?:[${blank}]|${invisible})+|[^]\\p{M}*`, "gu");

/**
 * Folds text for search: without invisible characters and NUL (SQLite ends a LIKE at NUL), each run of white space as one
 * blank, letter case by Unicode lower-casing without locale, and composed (NFC). Idempotent.
 */
export function foldText(text: string): string {
  if (text.length > sliceLength) return foldSlices(text);
  return foldSlice(text);
}

function foldSlice(text: string): string {
  const lower = isPlainLatin(text) ? text.toLowerCase().replace(asciiBlanks, " ") : foldOther(text);
  return lower.includes("\0") ? foldSlice(lower.replaceAll("\0", "")) : lower;
}

/** Whether a text is Latin-1 whose blanks are those of ASCII; nearly nothing for V8, which knows texts of one byte per character. */
function isPlainLatin(text: string): boolean {
  return !(beyondLatin.test(text) || latinSpecials.some((special) => text.includes(special)));
}

/** Folds a text in slices, which end within ASCII: a replacement over a whole body takes much more memory. */
function foldSlices(text: string): string {
  const folded: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + sliceLength, text.length);
    while (end < text.length && !(isAscii(text, end - 1) && isAscii(text, end))) end += 1;
    const slice = foldSlice(text.slice(start, end));
    // A run of white space on both sides is one blank.
    const isRun = slice.startsWith(" ") && folded.at(-1)?.endsWith(" ") === true;
    if (!isRun) folded.push(slice);
    else if (slice !== " ") folded.push(slice.slice(1));
    start = end;
  }
  return folded.join("");
}

/** Whether a character of ASCII is visible or white space. */
function isAscii(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x20 && code < 0x7f) || (code >= 0x09 && code <= 0x0d);
}

function foldOther(text: string): string {
  const lower = text.toWellFormed().replace(invisibles, "").toLowerCase().replaceAll("ς", "σ");
  const composed = composable.test(lower) ? lower.normalize("NFC") : lower;
  return foldLongS(composed).replace(otherBlanks, " ");
}

/** Replaces the long s, also with a dot above it, by the letter that it is a form of. */
function foldLongS(text: string): string {
  return /[ſẛ]/.test(text) ? text.replaceAll("ẛ", "ṡ").replaceAll("ſ", "s").normalize("NFC") : text;
}

/** Word that stands for an address within one host: the sender of mail of cron is `root`. */
const localName = /^[^\s@,;:<>()"]{1,64}$/;

/**
 * Returns the key by which searches find a contact: its folded address or number. A contact of one word is found by that word,
 * because senders write local users without a domain. "" for others without an address.
 */
export function addressKeyOf({ name, email, phone }: Contact): string {
  const key = foldAddress(email || phone || "");
  return key === "" && localName.test(name) ? foldText(name) : key;
}

/**
 * Folds an address for comparison: e-mail addresses to lower case, with the domain in its ASCII form (RFC 5890 §2.3.2.1), phone
 * numbers to their digits.
 */
export function foldAddress(address: string): string {
  const trimmed = address.trim();
  if (!trimmed.includes("@") && /^\+?[\d\s().-]+$/.test(trimmed)) return trimmed.replaceAll(/\D/g, "");
  return withDomain(foldText(trimmed), domainToASCII);
}

/**
 * Returns a text and behind it the e-mail addresses in it whose domain has another form, in Unicode or ASCII; the text alone
 * without such addresses.
 */
export function withOtherDomains(text: string): string {
  if (!text.includes("@") || !(text.includes("xn--") || beyondAscii.test(text))) return text;
  const addresses = text.split(/[\s<>,;:"()]/).filter((word) => word.includes("@"));
  const others = addresses.flatMap((address) =>
    [withDomain(address, domainToASCII), withDomain(address, domainToUnicode)].filter((other) => other !== address),
  );
  return [text, ...others].join(" ");
}

/**
 * Returns the index in a text of an index in its folded form: of the beginning of the white space or of the letter, with its
 * marks, that the folded character comes from.
 */
export function unfoldedIndex(text: string, foldedIndex: number): number {
  let folded = 0;
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    folded += foldText(piece).length;
    if (folded > foldedIndex) return index;
  }
  return text.length;
}

function withDomain(address: string, convert: (domain: string) => string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  // Others are the same in both forms.
  if (at === 0 || !(beyondAscii.test(domain) || domain.includes("xn--"))) return address;
  const converted = convert(domain);
  return converted === "" ? address : address.slice(0, at) + converted;
}

/** Length of a subject in a search. */
const subjectLengthMax = 1000;
/** Subject prefixes of replies and forwards in the languages of common email clients. */
const prefix = /^(?:re|fwd?|aw|wg|sv|vs|tr|rv|antw|odp)(?:\[\d{1,3}\])?\s{0,3}:\s*/i;

/** Returns the subject without `Re:`, `Fwd:`, `AW[2]:` and the like, at most 1000 UTF-16 units (compare RFC 5256 §2.1). */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, subjectLengthMax).trim();
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(prefix, "");
  }
  return rest;
}
