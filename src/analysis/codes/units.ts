/** Text as an array of its code units, which compiled code reads several times as fast as a string, and their kinds. */

/** Normalised text with its code units. */
export interface Units {
  readonly typed: string;
  /** At least one more than the text has, which is 0 after its end. Valid until the next call of {@link unitsOf}. */
  readonly units: Uint16Array;
}

/** Code units for which memory is kept; longer texts are rare. */
const keptCount = 32_768;
const kept = Buffer.alloc(2 * keptCount);
const isBigEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

/** Returns the code units of a text. */
export function unitsOf(typed: string): Units {
  const { length } = typed;
  const bytes = length < keptCount ? kept : Buffer.alloc(2 * (length + 1));
  bytes.write(typed, "utf16le");
  if (isBigEndian) bytes.subarray(0, 2 * length).swap16();
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  units[length] = 0;
  return { typed, units };
}

/** Bits of the characters that may occur inside a number, a name or a path; others have none. */
export const kinds = {
  /** No code contains it: it makes a price, a path or a percentage. */
  foreign: 1,
  /** May be between two words without a space. */
  splitting: 2,
  digit: 4,
  small: 8,
  hyphen: 16,
  /** Letter of À to ɏ. */
  accented: 32,
  /** Emphasis, quotation or sign; ends a word in capitals. */
  mark: 64,
  underscore: 128,
  capital: 256,
} as const;

/** Bits of the letters of ASCII. */
export const letterKinds: number = kinds.small | kinds.capital;

const characterKinds = new Uint16Array(0x10000);
for (let code = 0xc0; code <= 0x24f; code++) characterKinds[code] = kinds.accented;
for (const [characters, kind] of [
  ["*'’#+", kinds.mark],
  ["_", kinds.underscore],
  ["abcdefghijklmnopqrstuvwxyz", kinds.small],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", kinds.capital],
  ["$€£¥₹₽₺₴₪₩฿~\\/&%", kinds.foreign],
  ["?=", kinds.splitting | kinds.mark],
  [".,:", kinds.splitting],
  ["-", kinds.hyphen],
  ["0123456789", kinds.digit],
] as const) {
  for (const character of characters) characterKinds[character.charCodeAt(0)] = kind;
}

/** Returns the bits of a character. */
export function kindOf(unit: number | undefined): number {
  return characterKinds[unit ?? 0] ?? 0;
}

/** Returns whether a code unit is a digit of ASCII. */
export function isDigit(unit: number | undefined): boolean {
  // One comparison: processors predict two of them badly in hashes.
  return ((unit ?? 0) - 0x30) >>> 0 < 10;
}

const chunkReach = 200;
// `Password/PIN:4821`; other slashes make a path or a fraction.
const twoLabels = /^[A-Za-z\u00c0-\u024f]+\/[A-Za-z\u00c0-\u024f]+[:=]/;

/** Returns whether a run of characters with these kinds contains no price, and no path of an address without a scheme. */
export function isPlausible({ typed }: Units, { start, end }: { start: number; end: number }, bits: number): boolean {
  return (bits & kinds.foreign) === 0 || twoLabels.test(typed.slice(start, end));
}

/** Returns whether the run of characters around a range is {@link isPlausible}. */
export function isPlausibleAround(text: Units, range: { start: number; end: number }): boolean {
  const { units } = text;
  let { start, end } = range;
  let bits = 0;
  for (; start > 0 && range.start - start < chunkReach; start--) {
    const kind = kindOf(units[start - 1]);
    if (kind === 0) break;
    bits |= kind;
  }
  for (let kind = 0; end - range.end < chunkReach && (kind = kindOf(units[end])) !== 0; end++) bits |= kind;
  return isPlausible(text, { start, end }, bits);
}
