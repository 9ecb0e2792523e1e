/** Finds words in capitals, which some codes are: `HKWPTZ`, `WDJB-MJHT`. */
import { isPlausibleAround, type Token } from "./tokens.ts";
import { isAscii } from "./typing.ts";

const letters = String.raw`A-Za-z0-9\u00c0-\u024f_/-`;

// V8 searches ASCII text for one of at most 16 characters, but not of 26, by SIMD instructions: two searches together take a
// third of the time that one takes.
const fromAToM = wordsInCapitals("A-M");
const fromNToZ = wordsInCapitals("N-Z");
const anyInitial = wordsInCapitals("A-Z", "y");
/** Half the characters of a text to one long word, from which on words are tried one by one. */
const charactersPerLongWord = 100;
const lengthMin = 4;
const lengthMax = 11;

/** Returns an expression for the words in capitals that begin with one of `initials`. */
function wordsInCapitals(initials: string, flag: "g" | "y" = "g"): RegExp {
  const word = `[${initials}](?:[A-Z]{2,4}-[A-Z]{3,5}|[A-Z]{3,9})`;
  return new RegExp(String.raw`(?<![.${letters}])${word}(?![${letters}]|\.[a-z])`, flag);
}

/** Characters within words, by code unit. */
const isLetter = new Uint8Array(0x250);
for (let unit = 0; unit < isLetter.length; unit++) {
  isLetter[unit] = new RegExp(`[${letters}]`).test(String.fromCharCode(unit)) ? 1 : 0;
}

/**
 * Returns the first `countMax` words of 4 to 10 capitals, or of two groups of 3 to 5, in order. `long` are the starts and
 * ends of long words with digits: where they are many, the expressions would try each of their capitals.
 */
export function capitalsOf(typed: string, countMax: number, long: readonly number[]): Token[] {
  if (long.length * charactersPerLongWord > typed.length || !isAscii(typed)) return wordByWord(typed, countMax, long);
  const words = [...matchesOf(fromAToM, typed, countMax), ...matchesOf(fromNToZ, typed, countMax)];
  return words.sort((one, other) => one.start - other.start).slice(0, countMax);
}

function matchesOf(expression: RegExp, typed: string, countMax: number): Token[] {
  const found: Token[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(typed); match !== null && found.length < countMax; match = expression.exec(typed)) {
    add({ text: match[0], start: match.index, end: expression.lastIndex }, typed, found);
  }
  return found;
}

function wordByWord(typed: string, countMax: number, long: readonly number[]): Token[] {
  const found: Token[] = [];
  let nextLong = 0;
  const { length } = typed;
  for (let end = 0; end < length && found.length < countMax; end++) {
    const start = end;
    if (long[nextLong] === start) {
      end = long[nextLong + 1] ?? length;
      nextLong += 2;
      continue;
    }
    while (end < length && isLetter[typed.charCodeAt(end)] === 1) end++;
    const size = end - start;
    if (size < lengthMin || size > lengthMax || typed.charCodeAt(start) > 0x5a) continue;
    anyInitial.lastIndex = start;
    const match = anyInitial.exec(typed);
    if (match !== null) add({ text: match[0], start, end }, typed, found);
  }
  return found;
}

function add(word: Token, typed: string, found: Token[]): void {
  if (isPlausibleAround(typed, word.start, word.end)) found.push(word);
}
