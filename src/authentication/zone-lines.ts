/** A word of a zone file; quotes are taken off. */
export interface ZoneWord {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** One entry of a zone file, brackets joined and comments gone; it has at least one word. */
export interface ZoneLine {
  /** Where it starts, from 1. */
  readonly number: number;
  /** Whether it starts with white space: it continues the owner before. */
  readonly hasBlankOwner: boolean;
  readonly words: readonly ZoneWord[];
}

const token = /(\r?\n)|([ \t\r]+)|;[^\n]*|"((?:[^"\\\n]|\\[^\n])*)"?|([()])|((?:[^\s;()"\\]|\\[^\n])+)|(\\)/g;

/** Splits a zone file into its entries (RFC 1035 §5.1). Never throws; linear in the text. */
export function* readZoneLines(text: string): Generator<ZoneLine> {
  let number = 1;
  let start = 1;
  let depth = 0;
  let hasBlankOwner = false;
  let words: ZoneWord[] = [];
  let isLineStart = true;
  for (const [, lineEnd, blank, quoted, bracket, word] of text.matchAll(token)) {
    if (lineEnd !== undefined) number += 1;
    if (lineEnd !== undefined && depth === 0) {
      if (words.length > 0) yield { number: start, hasBlankOwner, words };
      words = [];
      hasBlankOwner = false;
      start = number;
      isLineStart = true;
      continue;
    }
    if (isLineStart && blank !== undefined) hasBlankOwner = true;
    isLineStart = false;
    if (bracket !== undefined) depth = bracket === "(" ? depth + 1 : Math.max(0, depth - 1);
    else if (quoted !== undefined) words.push({ text: unescape(quoted), isQuoted: true });
    else if (word !== undefined) words.push({ text: unescape(word), isQuoted: false });
  }
  if (words.length > 0) yield { number: start, hasBlankOwner, words };
}

/** `\\DDD` is a character by its number, `\\X` is X itself. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(\d{3}|[\s\S])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code) & 0xff) : code,
  );
}
