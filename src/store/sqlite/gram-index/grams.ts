/**
 * Grams: the six bytes of UTF-8 that start at each byte of a text, by which an index narrows a substring search down.
 *
 * They are runs of bytes, not of characters: a term is a substring of a text exactly if its bytes are a substring of
 * the text's bytes (UTF-8 synchronises itself, RFC 3629 §1), and no text needs to be decoded. As they are kept in
 * order, one length serves all terms: the grams of a text that start with a term of up to six bytes (one letter, two
 * Chinese characters) are a range, and a longer term has grams of its own. Behind its end a text is filled up with
 * zeros, which occur in no folded text.
 */

/** What a gram stands in. Terms are looked for in one field. */
export type GramField = "subject" | "body";

/** Bytes of a gram. */
export const gramBytes = 6;
/** Keys of grams are whole numbers below this; they sort by field, then by bytes. */
export const gramKeyEnd: number = 2 ** 49;
/** Grams of one term that are worth looking up: more hardly narrow its candidates further. */
const termGramCountMax = 24;

/** Gram keys from `first` to `last`, both included. */
export interface GramRange {
  readonly first: number;
  readonly last: number;
}

/** A stretch of a text: grams start from `start` up to `startEnd`, exclusive, and the text is known up to `end`. */
export interface GramStretch {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly startEnd: number;
  readonly end: number;
}

/** The grams of a stretch in two parts: the first four bytes, and the other two. */
export interface GramParts {
  readonly high: Uint32Array;
  readonly low: Uint16Array;
}

/** Writes the grams of a stretch, as many as bytes to start from. */
export function writeGrams(stretch: GramStretch, parts: GramParts): void {
  const { bytes, start, startEnd, end } = stretch;
  let high = 0;
  let low = 0;
  for (let at = start; at < start + gramBytes; at++) {
    high = (high << 8) | (low >>> 8);
    low = ((low & 0xff) << 8) | (at < end ? (bytes[at] ?? 0) : 0);
  }
  const count = startEnd - start;
  const next = start + gramBytes;
  for (let place = 0; place < count; place++) {
    parts.high[place] = high;
    parts.low[place] = low;
    high = (high << 8) | (low >>> 8);
    low = ((low & 0xff) << 8) | (next + place < end ? (bytes[next + place] ?? 0) : 0);
  }
}

/** The key of a gram. */
export function gramKey(field: GramField, high: number, low: number): number {
  return (field === "subject" ? 0 : 2 ** 48) + high * 2 ** 16 + low;
}

/**
 * Ranges of keys, of each of which every text of `field` has one that contains `term`. One single key each, from all
 * over the term, where it has six bytes or more; none for the empty term, which every text contains.
 */
export function termGrams(term: Uint8Array, field: GramField): readonly GramRange[] {
  if (term.length === 0) return [];
  if (term.length < gramBytes) {
    const first = keyAt(term, 0, field);
    return [{ first, last: first + 2 ** (8 * (gramBytes - term.length)) - 1 }];
  }
  const startCount = term.length - gramBytes + 1;
  const wanted = Math.min(startCount, termGramCountMax);
  // Grams that overlap tell nearly the same: they are ordered so that those that are asked first lie far apart.
  const places = Array.from({ length: wanted }, (_, place) => place).sort((a, b) => spread(a) - spread(b));
  const keys = places.map((place) => keyAt(term, Math.floor((place * startCount) / wanted), field));
  return Array.from(new Set(keys), (key) => ({ first: key, last: key }));
}

/** Fractions of the golden ratio: whole numbers in their order lie far from those before them. */
function spread(place: number): number {
  return (place * 0.618034) % 1;
}

function keyAt(bytes: Uint8Array, start: number, field: GramField): number {
  const parts = { high: new Uint32Array(1), low: new Uint16Array(1) };
  writeGrams({ bytes, start, startEnd: start + 1, end: bytes.length }, parts);
  return gramKey(field, parts.high[0] ?? 0, parts.low[0] ?? 0);
}
