import { decodeEncodedWords } from "./encoded-word.ts";

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
