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

  /** Takes the next piece; answers the entry that it ends, if it ends one. */
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

  /** The entry that was being read, if it has any word; the next one starts here. */
  end(): ZoneLine | null {
    const line = { number: this.#start, hasBlankOwner: this.#hasBlankOwner, words: this.#words };
    this.#start = this.#number;
    this.#isLineStart = true;
    this.#hasBlankOwner = false;
    this.#words = [];
    return line.words.length === 0 ? null : line;
  }
}

/** `\\DDD` is a character by its number, `\\X` is X itself. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(\d{3}|[\s\S])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code) & 0xff) : code,
  );
}
