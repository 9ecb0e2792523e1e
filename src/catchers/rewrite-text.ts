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

/** Bytes of inline images of one page; further ones are not shown. */
export const inlineBytesMax: number = 8 * 1024 * 1024;
/** References to inline images of one page. */
const referenceCountMax = 1000;
const idBytesMax = 400;

/**
 * Returns the replacement of references to inline images in attributes by addresses, which are found by lower-case Content-IDs,
 * up to a number and a sum of bytes. It is for one page.
 */
export function linkImages(addresses: ReadonlyMap<string, string>): Replacement {
  let count = 0;
  let length = 0;
  return {
    pattern: /(=[\t\n\f\r ]?["']?)cid:([^"'\t\n\f\r >]{1,400})/gi,
    lengthMax: idBytesMax + 8,
    replace: ([written, before = "", id = ""]) => {
      const name = Buffer.from(id, "latin1").toString("utf8");
      const address = addresses.get(name.replaceAll("&amp;", "&").toLowerCase());
      if (address === undefined || count >= referenceCountMax || length > 2 * inlineBytesMax) return written;
      count += 1;
      length += address.length;
      return before + address;
    },
  };
}
