/** Words whose values differ between two renderings of one message: ids, tokens, codes, dates and times. */
import { mask } from "./mask.ts";

const isoTime = /^\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}[Tt_]\p{Nd}{2}[\p{Nd}:.,+Zz-]*$/u;
const date =
  /^(?:\p{Nd}{4}[-./]\p{Nd}{1,2}[-./]\p{Nd}{1,2}|\p{Nd}{1,2}[-./]\p{Nd}{1,2}[-./]\p{Nd}{4}|\p{Nd}{1,2}[-/]\p{Nd}{1,2}[-/]\p{Nd}{2})$/u;
const time = /^\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2}(?:[.,]\p{Nd}{1,9})?)?(?:[+-]\p{Nd}{2}:?\p{Nd}{2})?[Zz]?$/u;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Quantities and amounts: `12`, `12.50`, `1,200.00`. */
const quantity = /^(?:\p{Nd}{1,3}(?:[.,'’]\p{Nd}{3})*|\p{Nd}{1,9})[.,]\p{Nd}{1,2}$|^\p{Nd}{1,3}(?:[.,'’]\p{Nd}{3})*$/u;
const digits = /\p{Nd}/gu;
const year = /^(?:19|20)\p{Nd}{2}$/u;

/** Letters without digits from which a word in mixed case, or any word, is a token. */
const mixedCaseLengthMin = 10;
const wordLengthMax = 40;
/** Length from which a token of several pieces (`eyJhbGciOi.eyJzdWIi`) is masked as a whole. */
const joinedTokenLengthMin = 16;
const tokenDigitCountMin = 5;
const tokenLengthMin = 5;

/** Returns a word with its volatile parts masked; the same word if it has none. Linear in the word. */
export function maskWord(word: string, codes: ReadonlySet<string>): string {
  if (codes.has(word)) return mask;
  if (word.length < mixedCaseLengthMin && word.search(/\p{Nd}/u) < 0) return word;
  if (isoTime.test(word) || date.test(word) || time.test(word) || uuid.test(word)) return mask;
  if (quantity.test(word)) return word;
  return word
    .split(/([,:;=&?#/@|]+)/)
    .map((part, index) => (index % 2 === 1 ? part : maskPart(part, codes)))
    .join("");
}

function maskPart(part: string, codes: ReadonlySet<string>): string {
  if (codes.has(part) || uuid.test(part) || isoTime.test(part) || date.test(part)) return mask;
  const pieces = part.split(/([^\p{L}\p{N}]+)/u);
  const mixed = pieces.filter((piece) => countDigits(piece) > 0 && /\p{L}/u.test(piece));
  const isToken = pieces.map((piece, index) => index % 2 === 0 && (codes.has(piece) || isVolatile(piece)));
  const isJoined = mixed.length > 1 || (part.length >= joinedTokenLengthMin && mixed.some(isVolatile));
  if (isJoined) return mask;
  return pieces.map((piece, index) => (isToken[index] === true ? mask : piece)).join("");
}

/** Whether a run of letters and digits is an id, a token or a year rather than a word, a quantity or the name of a model. */
function isVolatile(piece: string): boolean {
  const digitCount = countDigits(piece);
  if (digitCount === 0) return isRandomLetters(piece);
  if (digitCount === piece.length) return digitCount >= tokenDigitCountMin || year.test(piece);
  return digitCount >= tokenDigitCountMin || (piece.length >= tokenLengthMin && countChanges(piece) >= 2);
}

function isRandomLetters(piece: string): boolean {
  if (piece.length >= wordLengthMax) return /^[A-Za-z]+$/.test(piece);
  return piece.length >= mixedCaseLengthMin && (piece.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0) >= 3;
}

function countDigits(piece: string): number {
  return piece.match(digits)?.length ?? 0;
}

/** Returns how often letters follow digits or digits letters. */
function countChanges(piece: string): number {
  return piece.match(/\p{Nd}(?=\p{L})|\p{L}(?=\p{Nd})/gu)?.length ?? 0;
}
