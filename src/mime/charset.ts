import { isAscii, isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import type * as Iconv from "iconv-lite";
import { decodeUtf7 } from "./charset-utf7.ts";
import { encodingStandardLabels } from "./charset-labels.ts";
import { decodeHz, decodeIso2022Kr, withoutEmptyShifts } from "./charset-shift.ts";

type Decode = (bytes: Buffer) => string;

/** Labels that the Encoding standard and iconv-lite do not know by this name, or define differently. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["cp932", "shift_jis"],
  ["iso-2022-jp-1", "iso-2022-jp"],
  ["iso-2022-jp-2", "iso-2022-jp"],
  ["iso-2022-jp-3", "iso-2022-jp"],
  ["iso-2022-jp-ms", "iso-2022-jp"],
  ["cp50220", "iso-2022-jp"],
  ["cp50221", "iso-2022-jp"],
  ["cp936", "gb18030"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
  ["unicode-1-1-utf-7", "utf-7"],
  ["csunicode11utf7", "utf-7"],
]);

/**
 * Labels for which a byte order mark decides, else the bytes (RFC 2781 §4.3); the Encoding standard always means
 * little-endian.
 */
const guessedUtf16 = new Set(["utf-16", "utf16", "ucs-2", "ucs2", "unicode", "csunicode", "iso-10646-ucs-2"]);
/** Names that iconv-lite accepts although they are not charsets. */
const notCharsets = new Set(["base64", "hex", "binary", "utf7imap"]);
/** Labels that mailers use as placeholders: 8-bit bytes under them are treated as unlabelled. */
const asIfUnlabelled = new Set(["", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "default"]);

/** The usual labels of charsets in which CR and LF are one byte each, and no part of another character. */
const asciiSupersets = new Set(["", "us-ascii", "utf-8", "iso-8859-1", "iso-8859-15", "windows-1252"]);

/** Longest label that is looked up; IANA's labels have at most 45 characters. */
const labelLengthMax = 64;
/** Encodings of iconv-lite by canonical name; their number is bounded for any labels in mails. */
const iconvDecoders = new Map<string, Decode>();
const decoders = new Map<string, Decode>();
const decoderCountMax = 500;
/** Matches a character that was decoded from more than one byte. */
const beyondAscii = /[^\0-\x7f\ufffd]/;
const aloneAmongAscii = /(?:^|[\0-\x7f])[\x80-\xff][\0-\x7f]/;
/** Bytes decoded at once by decoders that build text in small strings. */
const chunkBytes = 64 * 1024;
const decodeWindows1252: Decode = decoderOf("windows-1252");
const decodeUtf8: Decode = decoderOf("utf-8");

/** Decoders of charsets that the Encoding standard does not define, or defines differently from their use in mail. */
const ownDecoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["utf-8", decodeLabelledUtf8],
  ["utf8", decodeLabelledUtf8],
  ["iso-2022-jp", decodeIso2022Jp],
  ["csiso2022jp", decodeIso2022Jp],
  ["hz-gb-2312", (bytes) => decodeHz(bytes, decoderOf("gb18030"))],
  ["utf-7", decodeWellFormedUtf7],
  ["utf7", decodeWellFormedUtf7],
  ["hz", (bytes) => decodeHz(bytes, decoderOf("gb18030"))],
  ["iso-2022-kr", (bytes) => decodeIso2022Kr(bytes, decoderOf("euc-kr"))],
  ["csiso2022kr", (bytes) => decodeIso2022Kr(bytes, decoderOf("euc-kr"))],
]);

/**
 * Decodes bytes by a charset label in any letter case: labels of the Encoding standard as defined there, else those of
 * iconv-lite, HZ (RFC 1843) and ISO-2022-KR (RFC 1557). Bytes with an unknown label or none, and 8-bit bytes under
 * `us-ascii`, are decoded as UTF-8 if they are valid, else as windows-1252; so are bytes labelled UTF-8 that contain no
 * UTF-8 character. Any other label is applied as declared. Malformed sequences become U+FFFD, so that the result is
 * well-formed Unicode. A byte order mark is removed.
 */
export function decodeCharset(bytes: Buffer, label: string | null): string {
  const key = keyOf(label);
  const known = decoders.get(key);
  if (known !== undefined) return known(bytes);
  const decode = findDecoder(key);
  if (decoders.size < decoderCountMax) decoders.set(key, decode);
  return decode(bytes);
}

/** Returns whether CR and LF are one byte each in a charset, and no part of another character; false for rare charsets. */
export function isAsciiSuperset(label: string | null): boolean {
  return asciiSupersets.has(keyOf(label));
}

function keyOf(label: string | null): string {
  return label === null ? "" : label.trim().toLowerCase();
}

/** Decodes bytes without a charset label: UTF-8 if valid, else windows-1252. */
export function decodeUnlabelled(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? decodeUtf8(bytes) : decodeWindows1252(bytes);
}

function findDecoder(label: string): Decode {
  if (asIfUnlabelled.has(label) || label.length > labelLengthMax) return decodeUnlabelled;
  if (guessedUtf16.has(label)) return iconvDecoderOf("utf16");
  const name = aliases.get(label) ?? label;
  return ownDecoders.get(name) ?? (encodingStandardLabels.has(name) ? decoderOf(name) : iconvDecoderOf(name));
}

/**
 * Decodes bytes labelled UTF-8. If they contain no UTF-8 character, and single bytes above 0x7F between ASCII as in
 * Western languages, the label is wrong and they are decoded as windows-1252.
 */
function decodeLabelledUtf8(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (isUtf8(bytes) || beyondAscii.test(text)) return text;
  return aloneAmongAscii.test(bytes.toString("latin1")) ? decodeWindows1252(bytes) : text;
}

function decodeWellFormedUtf7(bytes: Buffer): string {
  return decodeUtf7(bytes).toWellFormed();
}

function decodeIso2022Jp(bytes: Buffer): string {
  return decoderOf("iso-2022-jp")(withoutEmptyShifts(bytes));
}

/** Creates a decoder. Throws RangeError for labels that the Encoding standard does not know. */
function decoderOf(label: string): Decode {
  const decoder = new TextDecoder(label);
  return (bytes) => decoder.decode(bytes);
}

let loadedIconv: typeof Iconv | undefined;

/** Loaded with the first label that needs it: four files of a start, and most services never receive one. */
function loadIconv(): typeof Iconv {
  loadedIconv ??= createRequire(import.meta.url)("iconv-lite") as typeof Iconv;
  return loadedIconv;
}

/** Returns iconv-lite's decoder of a label, or the one for unlabelled bytes if it does not know the label. */
function iconvDecoderOf(label: string): Decode {
  // As iconv-lite normalises labels; `encodingExists` throws and catches, which is slow.
  const canonical = label.replaceAll(/:\d{4}$|[^0-9a-z]/g, "");
  if (notCharsets.has(canonical)) return decodeUnlabelled;
  const known = iconvDecoders.get(canonical);
  if (known !== undefined) return known;
  const iconv = loadIconv();
  // iconv-lite loads its tables with the first call.
  if (!iconv.encodingExists("utf8") || !(canonical in (iconv.encodings ?? {}))) return decodeUnlabelled;
  const decode = (bytes: Buffer): string => decodeWithIconv(bytes, canonical).toWellFormed();
  iconvDecoders.set(canonical, decode);
  return decode;
}

function decodeWithIconv(bytes: Buffer, encoding: string): string {
  const iconv = loadIconv();
  if (bytes.length <= chunkBytes) return iconv.decode(bytes, encoding);
  const decoder = iconv.getDecoder(encoding);
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    texts.push(decoder.write(bytes.subarray(start, start + chunkBytes)));
  }
  texts.push(decoder.end() ?? "");
  return texts.join("");
}
