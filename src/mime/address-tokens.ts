import { decodeEncodedWords } from "./encoded-word.ts";

/** Tokens of address lists (RFC 5322 §3.2, §3.4, with the obsolete forms of §4.4). */

/** Position in an address list. */
export interface AddressCursor {
  readonly text: string;
  position: number;
  /** Set when an unclosed quote is found: from there on quotes are ordinary characters. */
  quotesAreOrdinary: boolean;
}

/** Character codes that end unquoted text. */
const specials: ReadonlySet<number> = new Set(Buffer.from(',;"(<>:['));

/** Reads unquoted text up to the next special character. */
export function readPlain(cursor: AddressCursor): string {
  const { text } = cursor;
  const start = cursor.position;
  do {
    cursor.position += text[cursor.position] === "\\" ? 2 : 1;
  } while (cursor.position < text.length && !isSpecial(text.charCodeAt(cursor.position)));
  cursor.position = Math.min(cursor.position, text.length);
  return text.slice(start, cursor.position);
}

/** Returns a quoted string with its quotes; a quote that is never closed is an ordinary character. */
export function readQuoted(cursor: AddressCursor): string {
  const start = cursor.position;
  const end = cursor.quotesAreOrdinary ? -1 : quoteEnd(cursor.text, start);
  if (end === -1) cursor.quotesAreOrdinary = true;
  cursor.position = end === -1 ? start + 1 : end;
  return cursor.text.slice(start, cursor.position);
}

/** Returns the offset after the quoted string that starts at `start`; -1 if it is never closed. */
function quoteEnd(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === '"') return position + 1;
    if (text[position] === "\\") position += 1;
  }
  return -1;
}

/**
 * Returns the offset after the comment (RFC 5322 §3.2.2) that starts at `start`, nested comments included; -1 if it is
 * never closed.
 */
export function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let position = start; position < text.length; position += 1) {
    const character = text[position];
    if (character === "\\") position += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}

/**
 * Reads a domain literal, `[192.0.2.1]`, `[IPv6:…]`; its colons do not start a group. Without a closing bracket it is
 * ordinary text.
 */
export function readLiteral(cursor: AddressCursor): string {
  const { text } = cursor;
  const start = cursor.position;
  let end = start + 1;
  while (end < text.length && !'],<>"'.includes(text.charAt(end))) end += 1;
  cursor.position = text[end] === "]" ? end + 1 : end;
  return text.slice(start, cursor.position);
}

/** Removes a source route: `@a,@b:user@example` → `user@example` (RFC 5322 §4.4). */
export function withoutRoute(path: string): string {
  if (!path.startsWith("@")) return path;
  const colon = path.indexOf(":");
  return colon === -1 ? path : path.slice(colon + 1).trim();
}

function isSpecial(code: number): boolean {
  return code < 93 && specials.has(code);
}

/**
 * Part of an address field outside of brackets and comments: a quoted string with its quotes, or the text between two.
 */
export interface AddressChunk {
  text: string;
  readonly isQuoted: boolean;
}

/**
 * Splits into words; returns one word if the text is only an address. In a name, a full stop followed by a blank is
 * kept.
 */
export function addressWords(chunks: readonly AddressChunk[]): readonly string[] {
  const words = splitWords(chunks, / ?([@.]) ?/g);
  return words.length === 1 ? words : splitWords(chunks, / ?(@) ?/g);
}

/** Returns the words after {@link withoutBlanksAround}; quoted strings are not split. */
function splitWords(chunks: readonly AddressChunk[], pattern: RegExp): readonly string[] {
  const words = [""];
  for (const chunk of chunks) {
    const [first = "", ...others] = chunk.isQuoted ? [chunk.text] : compacted(chunk.text, pattern).split(" ");
    words[words.length - 1] += first;
    for (const word of others) words.push(word);
  }
  return words.filter((word) => word !== "");
}

/** Joins the chunks. White space outside of quoted strings becomes one blank, or none where `pattern` matches. */
export function withoutBlanksAround(chunks: readonly AddressChunk[], pattern: RegExp): string {
  return chunks.map(({ text, isQuoted }) => (isQuoted ? text : compacted(text, pattern))).join("");
}

/** Removes the white space that RFC 5322 §4.4 allows around `@` and `.`. */
function compacted(text: string, pattern: RegExp): string {
  return /\s/.test(text) ? text.replaceAll(/\s+/g, " ").replaceAll(pattern, "$1") : text;
}

/** Returns the chunks as written. */
export function textOf(chunks: readonly AddressChunk[]): string {
  return chunks.length === 1 ? (chunks[0]?.text ?? "") : chunks.map(({ text }) => text).join("");
}

/** Returns a display name as a reader sees it: unquoted, white space collapsed, encoded words decoded. */
export function displayName(text: string): string {
  return text === "" ? "" : decodeEncodedWords(writtenName(text)).trim();
}

/** Returns a display name unquoted, with white space collapsed and encoded words as they are. */
export function writtenName(text: string): string {
  const unquoted = text.includes('"') || text.includes("\\") ? unquote(text) : text;
  return unquoted.trim().replaceAll(/\s+/g, " ");
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)|"/gs, "$1");
}

/** Returns whether a word is `local@domain` without quotes, blanks and colons. */
export function isPlainAddress(word: string): boolean {
  const at = word.indexOf("@");
  return at > 0 && at < word.length - 1 && at === word.lastIndexOf("@") && !/[\s":]/.test(word);
}

/** Returns whether a word is a plain address whose domain has a full stop, so that it is not a name such as `Jane@Work`. */
export function isAddressOfDomain(word: string): boolean {
  return isPlainAddress(word) && word.includes(".", word.indexOf("@"));
}
