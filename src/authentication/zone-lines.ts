/** Word of a zone file, without quotes. */
export interface ZoneWord {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Entry of a zone file with at least one word, lines in parentheses joined and comments removed. */
export interface ZoneLine {
  /** Number of its first line, from 1. */
  readonly number: number;
  /** Whether it starts with white space and so has the owner of the entry before. */
  readonly hasBlankOwner: boolean;
  readonly words: readonly ZoneWord[];
}

const token = /(\r?\n)|([ \t\r]+)|;[^\n]*|"((?:[^"\\\n]|\\[^\n])*)"?|([()])|((?:[^\s;()"\\]|\\[^\n])+)|(\\)/g;

/** Splits a zone file into its entries (RFC 1035 §5.1). Never throws; linear in the text. */
export function* readZoneLines(text: string): Generator<ZoneLine> {
  const reader = new LineReader();
  for (const match of text.matchAll(token)) {
    const line = reader.take(match);
    if (line !== null) yield line;
  }
  const last = reader.end();
  if (last !== null) yield last;
}

class LineReader {
  #number = 1;
  #start = 1;
  #depth = 0;
  #isLineStart = true;
  #hasBlankOwner = false;
  #words: ZoneWord[] = [];

  /** Takes the next token; returns the entry that it ends, or null. */
  take([, lineEnd, blank, quoted, bracket, word]: RegExpMatchArray): ZoneLine | null {
    if (lineEnd !== undefined) {
      this.#number += 1;
      return this.#depth === 0 ? this.end() : null;
    }
    if (this.#isLineStart && blank !== undefined) this.#hasBlankOwner = true;
    this.#isLineStart = false;
    if (bracket !== undefined) this.#depth = bracket === "(" ? this.#depth + 1 : Math.max(0, this.#depth - 1);
    const content = quoted ?? word;
    if (content !== undefined) this.#words.push({ text: unescape(content), isQuoted: quoted !== undefined });
    return null;
  }

  /** Returns the current entry if it has a word, and starts the next one. */
  end(): ZoneLine | null {
    const line = { number: this.#start, hasBlankOwner: this.#hasBlankOwner, words: this.#words };
    this.#start = this.#number;
    this.#isLineStart = true;
    this.#hasBlankOwner = false;
    this.#words = [];
    return line.words.length === 0 ? null : line;
  }
}

/** Decodes escapes: `\\DDD` is a character by its number, `\\X` is X itself. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(\d{3}|[\s\S])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code) & 0xff) : code,
  );
}
