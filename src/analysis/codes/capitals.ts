/** Finds words in capitals, which some codes are: `HKWPTZ`, `WDJB-MJHT`. */
import type { Token } from "./tokens.ts";
import { isPlausibleAround, type Units } from "./units.ts";

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
export function addCapitals(text: Units, range: { start: number; end: number }, { found, countMax }: Capitals): void {
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
