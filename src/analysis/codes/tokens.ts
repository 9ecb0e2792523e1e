/** Finds the words of a text that may be codes: those with a digit, and those in capitals. */
import { addressMark } from "./typing.ts";
import { isDigit, isPlausible, kindOf, kinds, letterKinds, type Units, isPlausibleAround } from "./units.ts";

/** Word without the punctuation around it; offsets into the normalised text. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Words of a text, in order. */
interface Tokens {
  /** Words with a digit whose characters and length a code or a telephone number can have. */
  readonly withDigit: readonly Token[];
  /** Words of 4 to 10 capitals, or of two groups of 3 to 5. */
  readonly capitals: readonly Token[];
}

const digitAhead = /[0-9]/g;
/** Code units after a digit that are compared one by one before the text is searched by a regular expression, which takes longer to start. */
const nearCount = 64;
const addressUnit = addressMark.charCodeAt(0);
const apart = kinds.foreign | kinds.splitting | kinds.mark;
const wordBits = kinds.digit | letterKinds | kinds.accented | kinds.hyphen;
const unpunctuated = kinds.digit | letterKinds | kinds.accented;
const trailing = ".,:-*_#'’";
/** Characters of the longest forms of a code without a hyphen (`X7K9QZ42LM`), and of those with one (`4F7K2-P9XQ1-ABCDE`). */
const unhyphenatedLengthMax = 10;
const hyphenatedLengthMax = 17;
const tokenLengthMax = 40;

/** Returns the first `countMax` words with a digit, and the first half as many in capitals. */
export function tokensOf(text: Units, countMax: number): Tokens {
  const { typed, units } = text;
  const withDigit: Token[] = [];
  const capitals = { found: [] as Token[], countMax: countMax / 2 };
  let at = 0;
  for (let digitAt = 0; withDigit.length < countMax && at < typed.length; at++) {
    if (at - digitAt > nearCount) {
      digitAt = nextDigit(typed, at);
      const from = at;
      at = chunkStart(units, digitAt, from);
      addCapitals(text, { start: from, end: at }, capitals);
    }
    const start = at;
    let bits = 0;
    for (let kind = 0; (kind = kindOf(units[at])) !== 0; at++) bits |= kind;
    if (mayBeInCapitals(bits)) addCapitals(text, { start, end: at }, capitals);
    if ((bits & kinds.digit) === 0) continue;
    digitAt = at;
    const chunk = { start, end: at, bits };
    if (isHash(units, chunk)) continue;
    const isInAddress = units[at] === addressUnit || (start > 0 && units[start - 1] === addressUnit);
    if (!isInAddress && isPlausible(text, chunk, bits)) addWords(text, chunk, withDigit);
  }
  addCapitals(text, { start: at, end: typed.length }, capitals);
  return { withDigit, capitals: capitals.found };
}

/** Whether a run of characters with these kinds may contain a word in capitals: it is one, or it contains several words. */
function mayBeInCapitals(bits: number): boolean {
  return (bits & kinds.capital) !== 0 && ((bits & apart) !== 0 || (bits & ~(kinds.capital | kinds.hyphen)) === 0);
}

/** Whether a chunk is a word without punctuation that is longer than any code: most words with a digit of some texts are. */
function isHash(units: Uint16Array, chunk: Chunk): boolean {
  const { end, bits } = chunk;
  if ((bits & apart) !== 0 || (bits & letterKinds) === 0 || (kindOf(units[end - 1]) & unpunctuated) === 0) return false;
  return isTooLong(units, chunk);
}

/** Returns the position of the first digit from `from` on; the length of the text if there is none. */
function nextDigit(typed: string, from: number): number {
  digitAhead.lastIndex = from;
  return digitAhead.test(typed) ? digitAhead.lastIndex - 1 : typed.length;
}

/** Returns the start of the word that contains a position, not before `from`. */
function chunkStart(units: Uint16Array, position: number, from: number): number {
  let start = position;
  while (start > from && kindOf(units[start - 1]) !== 0) start--;
  return start;
}

/** Range of the text with the bits of all its characters. */
interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly bits: number;
}

/** Adds the words of a chunk. Prices, times and dates are not split and so are not codes. */
function addWords(text: Units, chunk: Chunk, tokens: Token[]): void {
  const { units } = text;
  const isSplit =
    (chunk.bits & kinds.splitting) !== 0 &&
    ((chunk.bits & ~(kinds.splitting | kinds.digit | kinds.hyphen | kinds.foreign)) !== 0 ||
      !isDigit(units[chunk.start]));
  if (!isSplit) {
    addToken(text, chunk, tokens);
    return;
  }
  let { start } = chunk;
  let bits = 0;
  for (let at = start; at < chunk.end; at++) {
    const kind = kindOf(units[at]);
    if ((kind & kinds.splitting) === 0 || !splitsAt(units, at)) {
      bits |= kind;
      continue;
    }
    if ((bits & kinds.digit) !== 0) addToken(text, { start, end: at, bits }, tokens);
    start = at + 1;
    bits = 0;
  }
  if ((bits & kinds.digit) !== 0) addToken(text, { start, end: chunk.end, bits }, tokens);
}

/** Whether a `.`, `,`, `:`, `?` or `=` is between two words: not between digits, and a full stop only where a sentence ends. */
function splitsAt(units: Uint16Array, at: number): boolean {
  const unit = units[at];
  const isAfterDigit = at > 0 && isDigit(units[at - 1]);
  if (unit === 0x2e)
    return isAfterDigit && sentenceStart.test(String.fromCharCode(units[at + 1] ?? 0, units[at + 2] ?? 0));
  return unit === 0x3f || unit === 0x3d || !isAfterDigit || !isDigit(units[at + 1]);
}

const sentenceStart = /^[A-Z][a-z]/;

/** Adds a word without the punctuation and emphasis around it, unless it has other characters than codes, or more of them. */
function addToken(text: Units, word: Chunk, tokens: Token[]): void {
  const { typed, units } = text;
  let { start, end } = word;
  while (end > start && isTrailing(text, end - 1)) end--;
  // Emphasis must be closed by the same character: `*804219*` is a code, `*4821` the end of a card number.
  while (start < end && word.end - end > start - word.start && "*_'".includes(typed.charAt(start))) start++;
  const bits = (word.bits & ~wordBits) === 0 ? word.bits : bitsOf(text, start, end);
  if ((bits & ~wordBits) !== 0) return;
  if ((bits & letterKinds) !== 0 && isTooLong(units, { start, end, bits })) return;
  tokens.push({ text: typed.slice(start, end), start, end });
}

function isTrailing({ typed, units }: Units, at: number): boolean {
  return (kindOf(units[at]) & unpunctuated) === 0 && trailing.includes(typed.charAt(at));
}

/** Returns the bits of the characters of a word, without those of a plus at its start, with which telephone numbers begin. */
function bitsOf({ typed, units }: Units, start: number, end: number): number {
  let bits = 0;
  for (let at = typed[start] === "+" ? start + 1 : start; at < end; at++) bits |= kindOf(units[at]);
  return bits;
}

/**
 * Whether a word with a letter is longer than any code, as hashes are. A word of digits may be: beside others, it is part of a
 * longer number.
 */
function isTooLong(units: Uint16Array, { start, end, bits }: Chunk): boolean {
  const length = end - start;
  if (length <= unhyphenatedLengthMax) return false;
  if ((bits & kinds.hyphen) === 0 || length > tokenLengthMax) return true;
  // `Bestaetigungscode-482913`: a label and a code.
  const endsInDigits = isDigit(units[end - 1]) && isDigit(units[end - 4]);
  return !endsInDigits && (length > hyphenatedLengthMax || !hasGroup(units, start));
}

/** Whether the first hyphen of a word follows a group of 3 to 5 characters. */
function hasGroup(units: Uint16Array, start: number): boolean {
  for (let at = start; at < start + 6; at++) if (units[at] === 0x2d) return at >= start + 3;
  return false;
}

// Words in capitals, which some codes are: `HKWPTZ`, `WDJB-MJHT`.

const letters = String.raw`A-Za-z0-9\u00c0-\u024f_/-`;
const wordHere = new RegExp(
  String.raw`(?<![.${letters}])[A-Z](?:[A-Z]{2,4}-[A-Z]{3,5}|[A-Z]{3,9})(?![${letters}]|\.[a-z])`,
  "y",
);
/** Capitals of the shortest word, or of the first group of the shortest word of two. */
const runLengthMin = 3;

/** Characters that no word in capitals follows, by code unit. */
const isWithin = new Uint8Array(0x250);
for (let unit = 0; unit < isWithin.length; unit++) {
  isWithin[unit] = new RegExp(`[.${letters}]`).test(String.fromCharCode(unit)) ? 1 : 0;
}

/** Words in capitals that were found, and how many are wanted. */
interface Capitals {
  readonly found: Token[];
  readonly countMax: number;
}

/**
 * Adds the words of 4 to 10 capitals, or of two groups of 3 to 5, within a range that begins and ends between words. A word has a
 * run of at least three capitals, so one code unit in three is compared.
 */
function addCapitals(text: Units, range: { start: number; end: number }, { found, countMax }: Capitals): void {
  if (found.length >= countMax) return;
  const { units } = text;
  const { start: first, end } = range;
  for (let at = first + runLengthMin - 1; at < end; at += runLengthMin) {
    if (!isCapital(units[at])) continue;
    const start = runStart(units, at);
    at = runEnd(units, at);
    const isStart = at - start >= runLengthMin && (start === 0 || isWithin[units[start - 1] ?? 0] !== 1);
    const word = isStart ? wordAt(text, start) : null;
    if (word !== null && found.push(word) >= countMax) return;
  }
}

/** Returns whether a text has a run of four capitals. */
export function hasCapitals({ typed, units }: Units): boolean {
  const runLength = 4;
  for (let at = runLength - 1; at < typed.length; at += runLength) {
    if (!isCapital(units[at])) continue;
    const start = runStart(units, at);
    at = runEnd(units, at);
    if (at - start >= runLength) return true;
  }
  return false;
}

/** Returns the start of the run of capitals around a position. */
function runStart(units: Uint16Array, position: number): number {
  let start = position;
  while (start > 0 && isCapital(units[start - 1])) start--;
  return start;
}

function runEnd(units: Uint16Array, position: number): number {
  let end = position + 1;
  while (isCapital(units[end])) end++;
  return end;
}

function wordAt(text: Units, start: number): Token | null {
  wordHere.lastIndex = start;
  const [word] = wordHere.exec(text.typed) ?? [];
  if (word === undefined) return null;
  const end = start + word.length;
  return isPlausibleAround(text, { start, end }) ? { text: word, start, end } : null;
}

function isCapital(unit: number | undefined): boolean {
  // One comparison: processors predict two of them badly in hashes.
  return ((unit ?? 0) - 0x41) >>> 0 < 26;
}
