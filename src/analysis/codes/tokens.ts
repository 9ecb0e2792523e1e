/** Finds the words of a text that contain a digit, without the long ones that cannot be a code. */
import { addressMark } from "./typing.ts";

/** Word with a digit, without the punctuation around it; offsets into the normalised text. */
export interface Token {
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
const hyphen = 16;
const letter = 32;
const trailing = 64;
// Ends a word in capitals.
const apart = 128;

// Bits of the characters that may occur inside a number, a name or a path; others have none.
const characterKinds = new Uint8Array(0x10000);
for (let code = 0xc0; code <= 0x24f; code++) characterKinds[code] = other;
for (const [characters, kind] of [
  ["*'’#", other | trailing | apart],
  ["_", other | trailing],
  ["+", other | apart],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", other | letter],
  ["$€£¥₹₽₺₴₪₩฿~\\/&%", foreign],
  ["?=", splitting | other],
  [".,:", splitting | numeric | trailing],
  ["-", numeric | hyphen | trailing],
  ["0123456789", numeric],
] as const) {
  for (const character of characters) characterKinds[character.charCodeAt(0)] = kind;
}

const chunkReach = 200;
const digit = /[0-9]/g;
/** Characters of the longest forms of a code without a hyphen (`X7K9QZ42LM`), and of those with one (`4F7K2-P9XQ1-ABCDE`). */
const unhyphenatedLengthMax = 10;
const hyphenatedLengthMax = 17;
const tokenLengthMax = 40;

/** Words with a digit of a text. */
export interface Tokens {
  /** In order, without those that are too long for a code. */
  readonly tokens: readonly Token[];
  /** Start and end of each long word of nothing but letters, digits, `-` and `_`. */
  readonly long: readonly number[];
}

/** Returns the first `countMax` words with a digit. */
export function tokensOf(typed: string, countMax: number): Tokens {
  const tokens: Token[] = [];
  const long: number[] = [];
  let end = 0;
  digit.lastIndex = 0;
  while (tokens.length < countMax && digit.test(typed)) {
    let start = digit.lastIndex - 1;
    let kinds = numeric;
    for (; start > end; start--) {
      const kind = characterKinds[typed.charCodeAt(start - 1)] ?? 0;
      if (kind === 0) break;
      kinds |= kind;
    }
    for (end = digit.lastIndex; end < typed.length; end++) {
      const kind = characterKinds[typed.charCodeAt(end)] ?? 0;
      if (kind === 0) break;
      kinds |= kind;
    }
    digit.lastIndex = end;
    if (typed[start - 1] === addressMark || typed[end] === addressMark) continue;
    addWords({ typed, tokens, long, kinds }, start, end);
  }
  return { tokens, long };
}

interface Chunk {
  readonly typed: string;
  readonly tokens: Token[];
  readonly long: number[];
  /** Bits of all characters of the chunk. */
  readonly kinds: number;
}

/** Adds the words of a chunk to its tokens. Most chunks of some mails are hashes and parts of addresses, so these are not copied. */
function addWords(chunk: Chunk, start: number, end: number): void {
  const { typed, kinds } = chunk;
  if ((kinds & (foreign | splitting)) === 0) addToken(chunk, start, end);
  else if ((kinds & foreign) === 0 || twoLabels.test(typed.slice(start, end))) {
    const text = typed.slice(start, end);
    if (isSplit(text, kinds)) addParts(text, { ...chunk, kinds: 0 }, start);
    else addToken({ ...chunk, kinds: 0 }, start, end);
  }
}

/** Adds a word without the punctuation and emphasis around it, unless it is longer than any code. */
function addToken({ typed, tokens, long, kinds }: Chunk, wordStart: number, wordEnd: number): void {
  let start = wordStart;
  let end = wordEnd;
  while (end > start && (kindAt(typed, end - 1) & trailing) !== 0) end--;
  // Emphasis must be closed by the same character: `*804219*` is a code, `*4821` the end of a card number.
  while (start < end && wordEnd - end > start - wordStart && "*_'".includes(typed.charAt(start))) start++;
  if ((kinds & letter) === 0 || !isTooLong(typed, { start, end, kinds })) {
    tokens.push({ text: typed.slice(start, end), start, end });
  } else if ((kinds & apart) === 0) {
    long.push(wordStart, wordEnd);
  }
}

/**
 * Whether a word with a letter is longer than any code, as hashes are. A word of digits may be: beside others, it is part of a
 * longer number.
 */
function isTooLong(typed: string, { start, end, kinds }: Omit<Token, "text"> & { readonly kinds: number }): boolean {
  const length = end - start;
  if (length <= unhyphenatedLengthMax) return false;
  if ((kinds & hyphen) === 0 || length > tokenLengthMax) return true;
  // `Bestaetigungscode-482913`: a label and a code.
  return length > hyphenatedLengthMax && !(isDigit(typed, end - 1) && isDigit(typed, end - 4));
}

/** Returns whether the word around a range may be a code: it is no path of an address without a scheme, and no price. */
export function isPlausibleAround(typed: string, wordStart: number, wordEnd: number): boolean {
  let start = wordStart;
  let end = wordEnd;
  let kinds = 0;
  for (let kind = 0; wordStart - start < chunkReach && (kind = kindAt(typed, start - 1)) !== 0; start--) kinds |= kind;
  for (let kind = 0; end - wordEnd < chunkReach && (kind = kindAt(typed, end)) !== 0; end++) kinds |= kind;
  return (kinds & foreign) === 0 || twoLabels.test(typed.slice(start, end));
}

/** Returns the bits of the character at a position; 0 outside of the text. */
function kindAt(typed: string, position: number): number {
  return position < 0 || position >= typed.length ? 0 : (characterKinds[typed.charCodeAt(position)] ?? 0);
}

function isDigit(typed: string, position: number): boolean {
  const unit = typed.charCodeAt(position);
  return unit >= 0x30 && unit <= 0x39;
}

// `Password/PIN:4821`; other slashes make a path or a fraction.
const twoLabels = /^[A-Za-z\u00c0-\u024f]+\/[A-Za-z\u00c0-\u024f]+[:=]/;

/** Returns whether a chunk may be several words: prices, times and dates are not split and so are not codes. */
function isSplit(chunk: string, kinds: number): boolean {
  return (kinds & splitting) !== 0 && ((kinds & other) !== 0 || !/^[0-9]/.test(chunk));
}

const splits = /((?<!\d):+|:+(?!\d)|(?<=\d)\.(?=[A-Z][a-z])|[?=]+|(?<!\d),|,(?!\d))/;

function addParts(text: string, chunk: Chunk, offset: number): void {
  let start = offset;
  for (const part of text.split(splits)) {
    if (/[0-9]/.test(part)) addToken(chunk, start, start + part.length);
    start += part.length;
  }
}
