import { decodeBase64 } from "./base64.ts";
import { decodeCharset, isKnownCharset } from "./charset.ts";
import type { Defect } from "./part.ts";
import { decodeQuotedPrintable } from "./quoted-printable.ts";

/** Longest charset label (with language) that is accepted; IANA's labels have at most 45 characters. */
const charsetLengthMax = 64;

const replacement = "\ufffd";
const beyondLatin1 = /[\u0100-\uffff]/;

interface WordHead {
  readonly charset: string;
  readonly encoding: "b" | "q";
  readonly textStart: number;
}

interface Pending {
  readonly charset: string;
  readonly bytes: Buffer[];
}

/**
 * Decodes the encoded words (RFC 2047, language suffix of RFC 2231 §5) in `text`. White space between two encoded words
 * is removed; adjacent words in the same charset are joined where a character is split over them. Words are also
 * decoded inside other text or quotes and may contain blanks, because senders write them so. Other text is unchanged.
 * Unknown charsets are added to `defects`.
 */
export function decodeEncodedWords(text: string, defects?: Set<Defect>): string {
  let start = text.indexOf("=?");
  if (start === -1) return text;
  let decoded = "";
  let copiedUpTo = 0;
  let wordEnd = -1;
  let pending: Pending | null = null;
  while (start !== -1) {
    const head = readWordHead(text, start);
    if (head === null) {
      start = text.indexOf("=?", start + 2);
      continue;
    }
    // Searched once per stretch of text, not once per word: unterminated words must not cost a scan each.
    if (wordEnd < head.textStart) wordEnd = text.indexOf("?=", head.textStart);
    if (wordEnd === -1) break;
    noteCharset(head.charset, defects);
    const bytes = decodeWord(head, text.slice(head.textStart, wordEnd));
    const gap = text.slice(copiedUpTo, start);
    const isNeighbour: boolean = pending !== null && isWhiteSpace(gap);
    if (pending !== null && isNeighbour && pending.charset === head.charset) pending.bytes.push(bytes);
    else {
      decoded += flush(pending) + (isNeighbour ? "" : gap);
      pending = { charset: head.charset, bytes: [bytes] };
    }
    copiedUpTo = wordEnd + 2;
    start = text.indexOf("=?", copiedUpTo);
  }
  return decoded + flush(pending) + text.slice(copiedUpTo);
}

function noteCharset(charset: string, defects: Set<Defect> | undefined): void {
  if (defects !== undefined && !isKnownCharset(charset)) defects.add("unknown_charset");
}

/** Reads `=?charset*language?B?`; returns null for anything else at `start`. */
function readWordHead(text: string, start: number): WordHead | null {
  const limit = Math.min(text.length, start + 2 + charsetLengthMax);
  let end = start + 2;
  while (end < limit && isTokenCharacter(text.charCodeAt(end))) end += 1;
  if (end === start + 2 || text[end] !== "?" || text[end + 2] !== "?") return null;
  const encoding = (text[end + 1] ?? "").toLowerCase();
  if (encoding !== "b" && encoding !== "q") return null;
  const charset = (text.slice(start + 2, end).split("*", 1)[0] ?? "").toLowerCase();
  return { charset, encoding, textStart: end + 3 };
}

function decodeWord(head: WordHead, encoded: string): Buffer {
  // Unencoded characters were decoded before: encode them again in the charset of the word.
  const isUtf8 = head.charset === "utf-8" || head.charset === "utf8" || beyondLatin1.test(encoded);
  const bytes = Buffer.from(
    head.encoding === "q" ? encoded.replaceAll("_", "=20") : encoded,
    isUtf8 ? "utf8" : "latin1",
  );
  return head.encoding === "q" ? decodeQuotedPrintable(bytes, 0, bytes.length) : decodeBase64(bytes, 0, bytes.length);
}

/**
 * Decodes adjacent words of one charset joined as bytes, because mailers split characters; each word separately (RFC
 * 2047 §6.2) if that leaves fewer undecodable characters.
 */
function flush(pending: Pending | null): string {
  if (pending === null) return "";
  const { bytes, charset } = pending;
  const joined = decodeCharset(bytes.length === 1 ? (bytes[0] ?? Buffer.alloc(0)) : Buffer.concat(bytes), charset);
  if (bytes.length === 1 || !joined.includes(replacement)) return joined;
  const apart = bytes.map((word) => decodeCharset(word, charset)).join("");
  return undecodableCount(apart) < undecodableCount(joined) ? apart : joined;
}

function undecodableCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf(replacement); at !== -1; at = text.indexOf(replacement, at + 1)) count += 1;
  return count;
}

function isWhiteSpace(text: string): boolean {
  return text.trim() === "";
}

/** Whether the character is printable ASCII except blank and `?`. */
function isTokenCharacter(code: number): boolean {
  return code > 32 && code < 127 && code !== 63;
}
