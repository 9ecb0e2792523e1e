/**
 * Texts for header fields of composed mail; characters that are not allowed are removed here, before a field is built.
 */
import { withLineEnds } from "../line-ends.ts";

/** Line ends of every kind, NUL and all other control characters, which must not occur in a field (RFC 5322 §2.2). */
const controls = /[\p{Cc}\u2028\u2029]+/gu;
const token = "[\\w!#$&^.+-]{1,127}";
const contentTypePattern = new RegExp(
  `^(${token}/${token})((?:[ \\t]{0,9};[ \\t]{0,9}${token}=(?:${token}|"[^"\\\\\\p{Cc}]{0,200}")){0,9})[ \\t;]{0,9}$`,
  "u",
);
const contentTypeLengthMax = 1000;
const contentIdLengthMax = 250;
const messageIdLengthMax = 250;
/** UTF-8 bytes of one encoded word: 75 characters (RFC 2047 §2) hold 63 of base64. */
const encodedWordBytesMax = 45;
/** Longest run without a blank that is written unencoded; a line may have 998 characters (RFC 5322 §2.1.1). */
const wordLengthMax = 500;

/**
 * Returns the text on one line: runs of control characters become a single space, lone surrogates U+FFFD; byte order
 * marks are removed, because readers remove them anyway.
 */
export function singleLine(text: string): string {
  return text.toWellFormed().replaceAll(controls, " ").replaceAll("\ufeff", "");
}

/**
 * Returns a name that readers show as given: on one line, with runs of white space as one blank, to which readers reduce
 * them even within quotes, and with a blank inserted into anything that looks like an encoded word (RFC 2047).
 */
export function displayText(name: string): string {
  return singleLine(name).replaceAll("=?", "= ?").replaceAll(/ {2,}/g, " ").trim();
}

/**
 * Returns the value of an unstructured field (RFC 5322 §2.2.1): ASCII unchanged, other text as encoded words, unfolded.
 */
export function encodeUnstructured(text: string): string {
  const line = singleLine(text);
  const isPlain = /^[ -~]*$/.test(line) && !line.includes("=?") && line === line.trim() && !hasLongWord(line);
  return isPlain ? line : encodedWords(line);
}

/** Returns whether a text has a run without a blank that is too long for a line. */
export function hasLongWord(line: string): boolean {
  for (let start = 0; start + wordLengthMax < line.length;) {
    const blank = line.indexOf(" ", start);
    const end = blank === -1 ? line.length : blank;
    if (end - start > wordLengthMax) return true;
    start = end + 1;
  }
  return false;
}

/** Returns a text on one line as encoded words (RFC 2047), separated by single spaces. */
export function encodedWords(line: string): string {
  const bytes = Buffer.from(line);
  const words: string[] = [];
  let start = 0;
  do {
    let end = start + encodedWordBytesMax;
    while (isContinuation(bytes[end] ?? 0)) end -= 1;
    words.push(`=?UTF-8?B?${bytes.toString("base64", start, end)}?=`);
    start = end;
  } while (start < bytes.length);
  return words.join(" ");
}

/** Returns whether a byte of UTF-8 is not the first of its character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Returns a media type with its parameters for the Content-Type of a leaf. An invalid type or a multipart becomes
 * `application/octet-stream`: a leaf declared as a multipart would be read as something else than the attached file.
 */
export function leafContentType(declared: string): string {
  const text = declared.trim();
  const match = text.length <= contentTypeLengthMax ? contentTypePattern.exec(text) : null;
  const [, mediaType = "", parameters = ""] = match ?? [];
  if (mediaType === "" || /^multipart\//i.test(mediaType)) return "application/octet-stream";
  return mediaType.toLowerCase() + parameters;
}

/** Returns a Content-ID without brackets (RFC 2392), reduced to the allowed characters; null if none are left. */
export function contentIdText(contentId: string): string | null {
  const text = contentId.replaceAll(/[^!-;=?-~]+/g, "").slice(0, contentIdLengthMax);
  return text === "" ? null : text;
}

/**
 * Returns the message ids that are valid in a header field, in order: printable ASCII in one pair of brackets, at most
 * 250 characters.
 */
export function usableMessageIds(ids: readonly string[]): string[] {
  return ids.filter((id) => id.length <= messageIdLengthMax && /^<[!-;=?-~]+>$/.test(id));
}

/** Returns HTML that shows the text: special characters escaped, line ends as `<br>`. */
export function textAsHtml(text: string): string {
  const escaped = text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
  return withLineEnds(escaped, "<br>\r\n");
}
