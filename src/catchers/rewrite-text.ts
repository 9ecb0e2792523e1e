/** Texts of mails as bytes, changed in places while they are sent: no text is ever one string. */

/** Replacement of what a pattern finds. */
export interface Replacement {
  /** Global pattern of ASCII characters, matched against bytes as Latin-1. */
  readonly pattern: RegExp;
  /** Most bytes that decide a match, with those that it only looks at. */
  readonly lengthMax: number;
  /** Returns the new text, in ASCII. */
  readonly replace: (match: RegExpExecArray) => string;
}

/** Bytes that are searched at a time: blocks the event loop for about a millisecond. */
const sliceBytes = 128 * 1024;

/** Yields a text in slices. */
export function* slicesOf(text: Uint8Array): Generator<Buffer, void> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

/** Yields a text with replacements, in slices. Linear in the text. */
export function* rewriteText(slices: Iterable<Buffer>, replacement: Replacement): Generator<Buffer, void> {
  let waiting = "";
  for (const slice of slices) {
    waiting += slice.toString("latin1");
    const { written, length } = rewriteUpTo(waiting, waiting.length - replacement.lengthMax + 1, replacement);
    waiting = waiting.slice(length);
    if (written !== "") yield Buffer.from(written, "latin1");
  }
  const { written } = rewriteUpTo(waiting, waiting.length, replacement);
  if (written !== "") yield Buffer.from(written, "latin1");
}

/** Replaces the matches that begin before `end`; returns the new text and the number of characters that it stands for. */
function rewriteUpTo(
  text: string,
  end: number,
  { pattern, replace }: Replacement,
): { readonly written: string; readonly length: number } {
  const pieces: string[] = [];
  let last = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null && match.index < end; match = pattern.exec(text)) {
    pieces.push(text.slice(last, match.index), replace(match));
    last = match.index + match[0].length;
  }
  const length = Math.max(last, end, 0);
  pieces.push(text.slice(last, length));
  return { written: pieces.join(""), length };
}

/** Yields a text with CRLF in place of LF, in slices. */
export function* withCrlf(slices: Iterable<Buffer>): Generator<Buffer, void> {
  for (const slice of slices) yield Buffer.from(slice.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}
