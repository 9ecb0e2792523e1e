/** Finds words that have the form of a code, regardless of their meaning. */
import { mayBeIdentifier } from "./identifiers.ts";
import { addressMark, isAscii } from "./typing.ts";

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

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// Characters that no code contains: they make it a price, a path or a percentage.
const foreign = 1;
// Characters that may be between two words without a space.
const splitting = 2;
const numeric = 4;
const other = 8;
// Bits of the characters that may occur inside a number, a name or a path; others have none.
const characterKinds = new Uint8Array(0x10000);
for (let code = 0xc0; code <= 0x24f; code++) characterKinds[code] = other;
for (const [characters, kind] of [
  ["*_'’#+ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", other],
  ["$€£¥₹₽₺₴₪₩฿~\\/&%", foreign],
  ["?=", splitting | other],
  [".,:", splitting | numeric],
  ["-0123456789", numeric],
] as const) {
  for (const character of characters) characterKinds[character.charCodeAt(0)] = kind;
}
const chunkReach = 200;

const digit = /[0-9]/g;
const capitals = wordsInCapitals("A-Z");
// V8 searches ASCII text for one of at most 16 characters, but not of 26, by SIMD instructions: two searches together take a
// third of the time that one takes.
const capitalsToM = wordsInCapitals("A-M");
const capitalsFromN = wordsInCapitals("N-Z");

/** Returns an expression for the words in capitals that begin with one of `initials`. */
function wordsInCapitals(initials: string): RegExp {
  const letters = String.raw`A-Za-z0-9\u00c0-\u024f_/-`;
  const word = `[${initials}](?:[A-Z]{2,4}-[A-Z]{3,5}|[A-Z]{3,9})`;
  return new RegExp(String.raw`(?<![.${letters}])${word}(?![${letters}]|\.[a-z])`, "g");
}

/** Returns all candidates of a text normalised by {@link asTyped}, in order, without overlaps. */
export function findCandidates(typed: string, countMax: number): Candidate[] {
  const found: Candidate[] = [];
  const tokens = tokensOf(typed, countMax * 4);
  for (let index = 0; index < tokens.length && found.length < countMax;) {
    const count = phraseLength(typed, tokens, index);
    if (count === 1) add(tokens[index], found);
    else addPhrase(tokens.slice(index, index + count), found);
    index += count;
  }
  const words = capitalsOf(typed, countMax * 2 - found.length);
  return words.length === 0 ? found : [...found, ...words].sort(inOrder);
}

/** Returns the first `countMax` words in capitals, in order. */
function capitalsOf(typed: string, countMax: number): Candidate[] {
  if (!isAscii(typed)) return matchesOf(capitals, typed, countMax);
  const words = [...matchesOf(capitalsToM, typed, countMax), ...matchesOf(capitalsFromN, typed, countMax)];
  return words.sort(inOrder).slice(0, countMax);
}

function matchesOf(expression: RegExp, typed: string, countMax: number): Candidate[] {
  const found: Candidate[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(typed); match !== null && found.length < countMax; match = expression.exec(typed)) {
    const [value] = match;
    const [start, end] = [match.index, expression.lastIndex];
    const chunk = chunkAround(typed, start, end);
    if (!isPlausible(chunk, kindsIn(chunk))) continue;
    found.push({ value, start, end, likeness: value.includes("-") ? 1 : -1, needsLabel: true });
  }
  return found;
}

const inOrder = (one: Candidate, other: Candidate): number => one.start - other.start;

function tokensOf(typed: string, countMax: number): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  digit.lastIndex = 0;
  while (tokens.length < countMax && digit.test(typed)) {
    let start = digit.lastIndex - 1;
    while (start > end && isInChunk(typed.charCodeAt(start - 1))) start--;
    end = digit.lastIndex;
    while (isInChunk(typed.charCodeAt(end))) end++;
    digit.lastIndex = end;
    const chunk = typed.slice(start, end);
    const kinds = kindsIn(chunk);
    if (!isPlausible(chunk, kinds) || typed[start - 1] === addressMark || typed[end] === addressMark) continue;
    if (isSplit(chunk, kinds)) addTokens(chunk, start, tokens);
    else tokens.push(trimmed(chunk, start));
  }
  return tokens;
}

/**
 * Returns the word around an offset, such as the path of an address without a scheme, up to the length of an address.
 */
function chunkAround(typed: string, wordStart: number, wordEnd: number): string {
  let start = wordStart;
  let end = wordEnd;
  while (start > 0 && wordStart - start < chunkReach && isInChunk(typed.charCodeAt(start - 1))) start--;
  while (end - wordEnd < chunkReach && isInChunk(typed.charCodeAt(end))) end++;
  return typed.slice(start, end);
}

function isInChunk(code: number): boolean {
  return (characterKinds[code] ?? 0) !== 0;
}

/** Returns the bits of all characters of a chunk. */
function kindsIn(chunk: string): number {
  let kinds = 0;
  for (let at = 0; at < chunk.length; at++) kinds |= characterKinds[chunk.charCodeAt(at)] ?? 0;
  return kinds;
}

function isPlausible(chunk: string, kinds: number): boolean {
  return (kinds & foreign) === 0 || twoLabels.test(chunk);
}

// `Password/PIN:4821`; other slashes make a path or a fraction.
const twoLabels = /^[A-Za-z\u00c0-\u024f]+\/[A-Za-z\u00c0-\u024f]+[:=]/;

/** Returns whether a chunk may be several words: prices, times and dates are not split and so are not codes. */
function isSplit(chunk: string, kinds: number): boolean {
  return (kinds & splitting) !== 0 && ((kinds & ~(numeric | splitting)) !== 0 || !/^[0-9]/.test(chunk));
}

const splits = /((?<!\d):+|:+(?!\d)|(?<=\d)\.(?=[A-Z][a-z])|[?=]+|(?<!\d),|,(?!\d))/;

function addTokens(chunk: string, offset: number, tokens: Token[]): void {
  let start = offset;
  for (const word of chunk.split(splits)) {
    if (/[0-9]/.test(word)) tokens.push(trimmed(word, start));
    start += word.length;
  }
}

/** Returns the token without the punctuation and emphasis around it if it contains a digit. */
function trimmed(word: string, offset: number): Token {
  let start = 0;
  let end = word.length;
  while (".,:'’#*_-".includes(word.charAt(end - 1))) end--;
  // Emphasis must be closed by the same character: `*804219*` is a code, `*4821` the end of a card number.
  while ("*_'".includes(word.charAt(start)) && word.length - end > start) start++;
  return { text: word.slice(start, end), start: offset + start, end: offset + end };
}

const separatorLengthMax = 3;
const digitsOnly = /^\d{1,10}$/;
// Groups of a telephone number or similar: next to other digits, they are part of something longer.
const dialled = /^[+(]?\d[\d-]*$/;

/** Returns how many tokens from `index` on form one sequence of separated digits: at least one. */
function phraseLength(typed: string, tokens: readonly Token[], index: number): number {
  let last = tokens[index];
  let count = 1;
  for (;;) {
    const next = tokens[index + count];
    if (last === undefined || next === undefined || next.start - last.end > separatorLengthMax) return count;
    if (!dialled.test(last.text) || !dialled.test(next.text)) return count;
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
  if (text.length < 4 || text.length > 40) return null;
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
