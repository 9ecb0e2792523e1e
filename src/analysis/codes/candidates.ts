/** Finds words that have the form of a code, regardless of their meaning. */
import { type Token, tokensOf } from "./tokens.ts";
import { unitsOf } from "./units.ts";

/** Word with the form of a code; offsets into the normalised text. */
export interface Candidate {
  /** As a person would type it. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** Score of the form alone: -4 (a date, a count) … 2 (six digits). */
  readonly likeness: number;
  /** Whether the form is so common in ordinary text that only a label directly before it makes it a code. */
  readonly needsLabel: boolean;
}

/**
 * Returns the candidates of a text normalised by {@link asTyped}, in order, without overlaps: at most `countMax` with a digit,
 * and twice as many with words in capitals. Stops after `enough` of them.
 */
export function findCandidates(typed: string, countMax: number, enough: number = Infinity): Candidate[] {
  const found: Candidate[] = [];
  const { withDigit: tokens, capitals } = tokensOf(unitsOf(typed), countMax * 4);
  const withDigitMax = Math.min(countMax, enough);
  for (let index = 0; index < tokens.length && found.length < withDigitMax;) {
    const count = phraseLength(typed, tokens, index);
    if (count === 1) add(tokens[index], found);
    else addPhrase(tokens.slice(index, index + count), found);
    index += count;
  }
  const capitalCountMax = Math.min(countMax * 2, enough) - found.length;
  if (capitalCountMax <= 0) return found;
  const words = capitals.slice(0, capitalCountMax).map(ofCapitals);
  return words.length === 0 ? found : [...found, ...words].sort(inOrder);
}

function ofCapitals({ text: value, start, end }: Token): Candidate {
  return { value, start, end, likeness: value.includes("-") || unpronounceable.test(value) ? 1 : -1, needsLabel: true };
}

// Alphabets of codes omit vowels, so that no code is a word.
const unpronounceable = /^[B-DF-HJ-NP-TV-XZ]{6,}$/;

const inOrder = (one: Candidate, other: Candidate): number => one.start - other.start;

const separatorLengthMax = 3;
const digitsOnly = /^\d{1,10}$/;
// Groups of a telephone number or similar: next to other digits, they are part of something longer.
const dialled = /^[+(]?\d[\d-]*$/;

function isDialledWord(text: string): boolean {
  // Letters, with which most words begin, are after the digits.
  return text.charCodeAt(0) <= 0x39 && dialled.test(text);
}

/** Returns how many tokens from `index` on form one sequence of separated digits: at least one. */
function phraseLength(typed: string, tokens: readonly Token[], index: number): number {
  let last = tokens[index];
  let count = 1;
  for (;;) {
    const next = tokens[index + count];
    if (last === undefined || next === undefined || next.start - last.end > separatorLengthMax) return count;
    if (!isDialledWord(last.text) || !isDialledWord(next.text)) return count;
    const between = typed.slice(last.end, next.start);
    const single = last.text.length === 1 && next.text.length === 1;
    const joins = between === " " || (single && /^(?:[\t\n]| ?[-|] ?|[ \n\t]{2,3})$/.test(between));
    if (!joins) return count;
    last = next;
    count++;
  }
}

function addPhrase(tokens: readonly Token[], found: Candidate[]): void {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return;
  const value = tokens.map((token) => token.text).join("");
  const lengths = tokens.map((token) => token.text.length);
  const likeness = likenessOfGroups(lengths, value);
  if (likeness !== null && tokens.every((token) => digitsOnly.test(token.text))) {
    found.push({ value, start: first.start, end: last.end, likeness, needsLabel: false });
  } else if (!isDialled(tokens, lengths)) {
    for (const token of tokens) add(token, found);
  }
}

function isDialled(tokens: readonly Token[], lengths: readonly number[]): boolean {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (tokens.some((token) => !digitsOnly.test(token.text))) return true;
  return total >= 7 && lengths.every((length) => length >= 2 && length <= 5);
}

function likenessOfGroups(lengths: readonly number[], value: string): number | null {
  const [size = 0] = lengths;
  if (lengths.some((length) => length !== size) || value.length < 4 || value.length > 10) return null;
  if (size === 1) return countsUp(value) ? -4 : 2;
  if (size === 2) return lengths.length === 3 ? 2 : -1;
  return lengths.length === 2 ? (size === 3 ? 2 : size === 4 ? 1 : 0) : 0;
}

function countsUp(digits: string): boolean {
  return "01234567890".includes(digits) || "1234567890".includes(digits);
}

function add(token: Token | undefined, found: Candidate[]): void {
  const candidate = token === undefined ? null : candidateOf(token);
  if (candidate !== null) found.push(candidate);
}

const prefixed = /^(?:G|FB)-(\d{4,8})$/;
const labelled = /^([A-Za-z\u00c0-\u024f]{3,})-(\d{4,8})$/;
const digitGroups = /^(?:\d{3}-\d{3}|\d{4}-\d{4}|\d{5}-\d{5}|\d{3}-\d{3}-\d{3}|\d(?:-\d){3,9})$/;
const dayFirst = /^(?:[0-2]\d|3[01])-(?:0\d|1[0-2])-|-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/;
const mixed = /^(?=.*[A-Z])(?=.*\d)[A-Z0-9]{4,10}$/;
const mixedGroups = /^(?=.*[A-Z])[A-Z0-9]{3,5}(?:-[A-Z0-9]{3,5}){1,2}$/;
const anyCase = /^(?=.*[A-Za-z])(?=.*\d)(?:[A-Za-z0-9]{4,10}|[A-Za-z0-9]{4,5}-[A-Za-z0-9]{4,5})$/;

interface Form {
  readonly value: string;
  readonly likeness: number;
  readonly needsLabel?: boolean;
}

function candidateOf({ text, start, end }: Token): Candidate | null {
  if (text.length < 4 || text.length > 40 || (text.length > 10 && !text.includes("-"))) return null;
  const form = formOf(text);
  if (form === null) return null;
  const { value, likeness, needsLabel = false } = form;
  // Text before the number in the same word is its label and is evaluated as one.
  const codeStart = value !== text && labelled.test(text) ? end - value.length : start;
  return { value, start: codeStart, end, likeness, needsLabel };
}

function formOf(text: string): Form | null {
  if (/^\d{4,10}$/.test(text)) return { value: text, likeness: likenessOfDigits(text) };
  if (/^[0-9-]+$/.test(text)) return formOfDigitGroups(text);
  return /^[A-Za-z\u00c0-\u024f0-9-]+$/.test(text) ? formOfLettersAndDigits(text) : null;
}

function formOfDigitGroups(text: string): Form | null {
  if (/^\d\d-\d\d-\d\d$/.test(text) && !dayFirst.test(text)) {
    return { value: text.replaceAll("-", ""), likeness: 1, needsLabel: true };
  }
  return digitGroups.test(text) ? { value: text.replaceAll("-", ""), likeness: text.length === 7 ? 2 : 1 } : null;
}

function formOfLettersAndDigits(text: string): Form | null {
  const code = prefixed.exec(text)?.[1];
  if (code !== undefined) return { value: code, likeness: 4 };
  if (mixed.test(text) && !mayBeIdentifier(text)) return { value: text, likeness: likenessOfMixed(text) };
  if (mixedGroups.test(text)) return formOfMixedGroups(text);
  const [, word = "", digits] = labelled.exec(text) ?? [];
  if (digits !== undefined && word !== word.toUpperCase()) return { value: digits, likeness: likenessOfDigits(digits) };
  return anyCase.test(text) ? { value: text, likeness: 0, needsLabel: true } : null;
}

function formOfMixedGroups(text: string): Form | null {
  const groups = text.split("-");
  const characters = groups.join("");
  if (characters.length > 12) return null;
  const even = groups.every((group) => group.length === groups[0]?.length);
  return { value: text, likeness: even && turns(characters) > 1 ? 2 : 0, needsLabel: !even };
}

const yearOrDate = /^(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?$/;
const likenessByLength: readonly number[] = [0, 0, 0, 0, 0, 1, 2, 1, 1, -1, -2];

function likenessOfDigits(digits: string): number {
  if (yearOrDate.test(digits)) return -3;
  return (likenessByLength[digits.length] ?? 0) - (digits.endsWith("000") ? 2 : 0);
}

/**
 * Whether the word changes from letters to digits more than once: a product name such as `RTX4090` does so once, a
 * random code more often.
 */
function likenessOfMixed(text: string): number {
  if (text.length > 8) return turns(text) > 2 ? 0 : -1;
  return turns(text) > 1 && text.length >= 5 ? 2 : 0;
}

function turns(text: string): number {
  return text.split(/(?<=\d)(?=[A-Z])|(?<=[A-Z])(?=\d)/).length - 1;
}

/** Names of standards, formats and products, which mix capitals and digits as codes do. */

/** Beginnings of families of names. */
const families =
  "AES ARM ASCII B2 BASE BLAKE C2 CRC CVE DDR DES DVB EAP EC2 ECMA ED EIA EN ES FAT FIDO GPT GTX H HDMI HMAC HTTP I18 I2 " +
  "IEC IEEE IMAP IPV ISO ITU JIS JPEG JSR K8 KOI L10 L2 L3 LTE LZ M2 MD MIL MP MPEG MSCHAPV NIST NTLMV NVME OAUTH P2 PBKDF PCI " +
  "PCIE PKCS POP RC RFC RIPEMD RS RSA RTX S2 S3 SHA SHAKE SMBV SNMPV SOCKS SSLV TLSV UCS USB UTF W3 WPA X X86 XC Y2";

/** A family, a number, and letters or another number behind it: `SHA3512`, `AES256GCM`, `UTF16LE`, `L2CAP`, `X509V3`. */
const ofFamily = new RegExp(`^(?:${families.replaceAll(" ", "|")})\\d{0,5}(?:[A-Z]{1,6}\\d{0,4})?$`);

/** Returns whether a word of capitals and digits may name a standard or a product; three of 100 random codes do. */
function mayBeIdentifier(word: string): boolean {
  return ofFamily.test(word);
}
