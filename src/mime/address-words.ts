import { decodeEncodedWords } from "./encoded-word.ts";

/**
 * Part of an address field outside of brackets and comments: a quoted string with its quotes, or the text between two.
 */
export interface Piece {
  text: string;
  readonly isQuoted: boolean;
}

/** Returns the words after {@link withoutBlanksAround}; quoted strings are not split. */
export function splitWords(pieces: readonly Piece[], pattern: RegExp): readonly string[] {
  const words = [""];
  for (const piece of pieces) {
    const [first = "", ...others] = piece.isQuoted ? [piece.text] : compacted(piece.text, pattern).split(" ");
    words[words.length - 1] += first;
    for (const word of others) words.push(word);
  }
  return words.filter((word) => word !== "");
}

/** Joins the chunks. White space outside of quoted strings becomes one blank, or none where `pattern` matches. */
export function withoutBlanksAround(pieces: readonly Piece[], pattern: RegExp): string {
  return pieces.map(({ text, isQuoted }) => (isQuoted ? text : compacted(text, pattern))).join("");
}

/** Removes the white space that RFC 5322 §4.4 allows around `@` and `.`. */
function compacted(text: string, pattern: RegExp): string {
  return /\s/.test(text) ? text.replaceAll(/\s+/g, " ").replaceAll(pattern, "$1") : text;
}

/** Returns the chunks as written. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.length === 1 ? (pieces[0]?.text ?? "") : pieces.map(({ text }) => text).join("");
}

/** Returns a display name as a reader sees it: unquoted, white space collapsed, encoded words decoded. */
export function displayName(text: string): string {
  if (text === "") return "";
  const unquoted = text.includes('"') || text.includes("\\") ? unquote(text) : text;
  return decodeEncodedWords(unquoted.trim().replaceAll(/\s+/g, " ")).trim();
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)|"/gs, "$1");
}
