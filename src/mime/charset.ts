import { isAscii, isUtf8 } from "node:buffer";
import { iconvDecoder } from "./charset-iconv.ts";
import { decodeIso2022Cn, decodeIso2022Jp2, decodeIso2022Kr } from "./charset-iso2022.ts";
import { decodeHz, withoutEmptyShifts, decodeUtf7 } from "./charset-shift.ts";
import { standardDecoder } from "./charset-standard.ts";

/** Names of charsets in mail without punctuation, by a label that the Encoding standard lists or `charset.ts` decodes. */
const namesByLabel: Readonly<Record<string, string>> = {
  shift_jis: "cp932 cp943 cp943c shiftjis xshiftjis shiftjisx0213 shiftjis2004 pck",
  "euc-jp": "eucjp eucjpms eucjpwin ujis cp20932 cp51932",
  "euc-kr": "euckr uhc cp949 cp51949 ksc56011992 ksx1001",
  gb18030: "cp936 cp51936 cp54936 euccn xeuccn eucgb2312cn gb231280 gb180302000 gb180302005 gb180302022",
  big5: "cp950 cp951 big5hkscs big5hkscs1999 big5hkscs2001 big5hkscs2004 big5hkscs2008 hkscs big5eten",
  "iso-2022-jp": "iso2022jp csiso2022jp",
  "iso-2022-jp-2":
    "iso2022jp1 iso2022jp2 csiso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms iso2022jpesc iso2022jpsio cp50220 cp50221 cp50222",
  "iso-2022-kr": "iso2022kr csiso2022kr cp50225",
  "iso-2022-cn": "iso2022cn iso2022cnext csiso2022cn csiso2022cnext",
  "hz-gb-2312": "hz hzgb2312 cp52936",
  "utf-8": "utf8 utf8mb4 xutf8 cp65001",
  "utf-7": "utf7 xutf7 csutf7 unicode11utf7 csunicode11utf7 cp65000",
  "koi8-r": "cp20866",
  "koi8-u": "koi8u cp21866",
  "windows-874": "cp874",
  macintosh: "macroman xmacroman macosroman",
  "x-mac-cyrillic": "maccyrillic macukrainian xmaccyrillic",
};

const labels: ReadonlyMap<string, string> = new Map(
  Object.entries(namesByLabel).flatMap(([label, names]) => names.split(" ").map((name) => [name, label])),
);

/** Code pages under the names of several vendors: cp949, ms949, windows-949. */
const codePage = /^x?(?:cp|ms|mscp|windows|win|mswin|ansi|ibm)(\d{3,5})$/;
const yearOrPunctuation = /:\d{4}$|[^0-9a-z]/g;

/** Returns a label in lower case without punctuation and year, in which spellings of one name are equal. */
function strippedLabel(label: string): string {
  return label.replaceAll(yearOrPunctuation, "");
}

/** Returns the usual label of the charset that a stripped label names; null if the label is not in the table. */
function usualLabel(stripped: string): string | null {
  const page = codePage.exec(stripped)?.[1];
  if (page !== undefined && /^125[0-8]$/.test(page)) return `windows-${page}`;
  return labels.get(page === undefined ? stripped : `cp${page}`) ?? null;
}

type Decode = (bytes: Buffer) => string;

/**
 * Labels for which a byte order mark decides, else the bytes (RFC 2781 §4.3); the Encoding standard always means
 * little-endian.
 */
const guessedUtf16 = new Set(["utf-16", "utf16", "ucs-2", "ucs2", "unicode", "csunicode", "iso-10646-ucs-2"]);
/** Labels that mailers use as placeholders: 8-bit bytes under them are treated as unlabelled. */
const asIfUnlabelled = new Set([
  "",
  "us-ascii",
  "ascii",
  "ansi_x3.4-1968",
  "iso646-us",
  "unknown",
  "unknown-8bit",
  "x-unknown",
  "default",
  "default_charset",
  "_autodetect",
  "_autodetect_all",
  "_autodetect_kr",
]);

/** The usual labels of charsets in which CR and LF are one byte each, and no part of another character. */
const asciiSupersets = new Set(["", "us-ascii", "utf-8", "iso-8859-1", "iso-8859-15", "windows-1252"]);

/** Longest label that is looked up; IANA's labels have at most 45 characters. */
const labelLengthMax = 64;
/** Decoders by label, null for unknown labels; their number is bounded for any labels in mails. */
const decoders = new Map<string, Decode | null>();
const decoderCountMax = 500;
/** Matches a character that was decoded from more than one byte. */
const beyondAscii = /[^\0-\x7f\ufffd]/;
const aloneAmongAscii = /(?:^|[\0-\x7f])[\x80-\xff][\0-\x7f]/;
/** Escape sequences of ISO-2022-JP and ISO-2022-KR for double bytes, which no other 7-bit text contains. */
const japaneseEscapes = ["\u001b$B", "\u001b$@", "\u001b$(B", "\u001b$(@", "\u001b$(D"];
const koreanEscape = "\u001b$)C";
const utf8Decoder = new TextDecoder("utf-8");
const decodeUtf8: Decode = (bytes) => utf8Decoder.decode(bytes);

/** Decoders of charsets that the Encoding standard does not define, or defines differently from their use in mail. */
const ownDecoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["utf-8", decodeLabelledUtf8],
  ["utf-7", (bytes) => decodeUtf7(bytes).toWellFormed()],
  ["iso-2022-jp", (bytes) => standard("iso-2022-jp")(withoutEmptyShifts(bytes))],
  ["iso-2022-jp-2", (bytes) => decodeIso2022Jp2(bytes, standard("euc-jp"))],
  ["iso-2022-kr", (bytes) => decodeIso2022Kr(bytes, standard("euc-kr"))],
  ["iso-2022-cn", (bytes) => decodeIso2022Cn(bytes, standard("gb18030"))],
  ["hz-gb-2312", (bytes) => decodeHz(bytes, standard("gb18030"))],
]);

/**
 * Decodes bytes by a charset label in any letter case: labels of the Encoding standard as defined there, other spellings of
 * them, the charsets of iconv-lite, and 7-bit charsets that the standard replaces: HZ (RFC 1843), ISO-2022-KR, ISO-2022-CN,
 * UTF-7. Bytes with an unknown label or none, and those under `us-ascii`, are decoded as {@link decodeUnlabelled} does. Bytes
 * labelled UTF-8 that contain no UTF-8 character are decoded as windows-1252. Any other label is applied as declared. Malformed
 * sequences become U+FFFD, so that the result is well-formed Unicode. A byte order mark is removed.
 */
export function decodeCharset(bytes: Buffer, label: string | null): string {
  return (decoderOf(keyOf(label)) ?? decodeUnlabelled)(bytes);
}

/** Returns whether a charset label is one that {@link decodeCharset} applies, or a placeholder for an unknown charset. */
export function isKnownCharset(label: string | null): boolean {
  const key = keyOf(label);
  return asciiSupersets.has(key) || decoderOf(key) !== null;
}

/** Returns whether CR and LF are one byte each in a charset, and no part of another character; false for rare charsets. */
export function isAsciiSuperset(label: string | null): boolean {
  return asciiSupersets.has(keyOf(label));
}

function keyOf(label: string | null): string {
  return label === null ? "" : label.trim().toLowerCase();
}

/**
 * Decodes bytes without a charset label: 7-bit bytes with the escape sequences of ISO-2022-JP or ISO-2022-KR by these, 8-bit
 * bytes as UTF-8 if they have at least as many characters of UTF-8 as malformed sequences, which become U+FFFD; else as
 * windows-1252. A text in one legacy charset rarely contains a character of UTF-8.
 */
export function decodeUnlabelled(bytes: Buffer): string {
  if (isAscii(bytes)) return decodeSevenBit(bytes);
  const text = decodeUtf8(bytes);
  return isUtf8(bytes) || isNearlyUtf8(text) ? text : standard("windows-1252")(bytes);
}

function decodeSevenBit(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  if (!text.includes("\u001b$")) return text;
  if (japaneseEscapes.some((sequence) => text.includes(sequence))) return named("iso-2022-jp-2")?.(bytes) ?? text;
  return text.includes(koreanEscape) ? (named("iso-2022-kr")?.(bytes) ?? text) : text;
}

/** Returns whether a text that was decoded as UTF-8 has at least as many characters beyond ASCII as undecodable ones. */
function isNearlyUtf8(text: string): boolean {
  let balance = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // The second unit of a pair counts for none.
    if (unit > 0x7f && (unit < 0xdc00 || unit > 0xdfff)) balance += unit === 0xfffd ? -1 : 1;
  }
  return balance >= 0;
}

/** Returns the decoder of a label; null if the label is unknown. */
function decoderOf(label: string): Decode | null {
  const known = decoders.get(label);
  if (known !== undefined) return known;
  const decode = findDecoder(label);
  if (decoders.size < decoderCountMax) decoders.set(label, decode);
  return decode;
}

function findDecoder(label: string): Decode | null {
  if (asIfUnlabelled.has(label)) return decodeUnlabelled;
  if (label.length > labelLengthMax) return null;
  const stripped = strippedLabel(label);
  if (guessedUtf16.has(label)) return named("utf16");
  const own = ownDecoders.get(label) ?? ownDecoders.get(usualLabel(stripped) ?? "");
  return own ?? standardDecoder(label) ?? named(usualLabel(stripped) ?? stripped);
}

/** Returns the decoder of a usual or stripped label; null if it is unknown. */
function named(name: string): Decode | null {
  return ownDecoders.get(name) ?? standardDecoder(name) ?? iconvDecoder(name);
}

/** Returns the decoder of a charset of the Encoding standard. */
function standard(name: string): Decode {
  return standardDecoder(name) ?? decodeUtf8;
}

/**
 * Decodes bytes labelled UTF-8. If they contain no UTF-8 character, and single bytes above 0x7F between ASCII as in
 * Western languages, the label is wrong and they are decoded as windows-1252.
 */
function decodeLabelledUtf8(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (isUtf8(bytes) || beyondAscii.test(text)) return text;
  return aloneAmongAscii.test(bytes.toString("latin1")) ? standard("windows-1252")(bytes) : text;
}
