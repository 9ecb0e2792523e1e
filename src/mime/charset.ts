import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeUtf7 } from "./charset-utf7.ts";
import { encodingStandardLabels } from "./charset-labels.ts";
import { decodeHz, decodeIso2022Kr, withoutEmptyShifts } from "./charset-shift.ts";

type Decode = (bytes: Buffer) => string;

/** Labels that neither the Encoding standard nor iconv-lite knows by this name, or that mean something else there. */
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

/** RFC 2781 §4.3: a byte order mark decides, else guess; the Encoding standard would always say little-endian. */
const guessedUtf16 = new Set(["utf-16", "utf16", "ucs-2", "ucs2", "unicode", "csunicode", "iso-10646-ucs-2"]);
/** What iconv-lite calls encodings although they are no charsets. */
const notCharsets = new Set(["base64", "hex", "binary", "utf7imap"]);
/** Labels that mail uses without meaning it: 8-bit bytes under them are as if unlabelled. */
const asIfUnlabelled = new Set(["", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "default"]);

/** Longest label that is looked up; none of IANA's passes 45 characters. */
const labelLengthMax = 64;
/** Encodings of iconv-lite by canonical name; few, whatever labels mails make up. */
const iconvDecoders = new Map<string, Decode>();
const decoders = new Map<string, Decode>();
const decoderCountMax = 500;
/** A character that was decoded from more than one byte. */
const beyondAscii = /[^\0-\x7f\ufffd]/;
const aloneAmongAscii = /(?:^|[\0-\x7f])[\x80-\xff][\0-\x7f]/;
/** How much is decoded at once by decoders that build text piece by piece. */
const chunkBytes = 64 * 1024;
const decodeWindows1252: Decode = decoderOf("windows-1252");
const decodeUtf8: Decode = decoderOf("utf-8");

/** What the Encoding standard does not know, or not as mail has it. */
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
 * Decodes bytes by a charset label in any letter case: what the Encoding standard knows as it says there, then what
 * iconv-lite, HZ (RFC 1843) and ISO-2022-KR (RFC 1557) add. Unknown labels, no label and 8-bit bytes under `us-ascii`
 * are UTF-8 when they can be, else windows-1252; so is what is labelled UTF-8 and plainly is not. Any other label is
 * taken at its word. Malformed sequences become U+FFFD, so that every text is well-formed Unicode. A byte order mark is
 * dropped.
 */
export function decodeCharset(bytes: Buffer, label: string | null): string {
  const key = label === null ? "" : label.trim().toLowerCase();
  const known = decoders.get(key);
  if (known !== undefined) return known(bytes);
  const decode = findDecoder(key);
  if (decoders.size < decoderCountMax) decoders.set(key, decode);
  return decode(bytes);
}

/** Text of bytes that nobody labelled: UTF-8 when valid, else windows-1252. */
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
 * Text of bytes that are labelled UTF-8. Where no character of them is, and some stand alone among ASCII as letters of
 * Western languages do, the label is wrong, and they are read as windows-1252.
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

/** Throws RangeError for labels that the Encoding standard does not know. */
function decoderOf(label: string): Decode {
  const decoder = new TextDecoder(label);
  return (bytes) => decoder.decode(bytes);
}

/** Unlabelled where iconv-lite does not know the label either. */
function iconvDecoderOf(label: string): Decode {
  // As iconv-lite does it: `encodingExists` throws and catches, which is slow.
  const canonical = label.replaceAll(/:\d{4}$|[^0-9a-z]/g, "");
  if (notCharsets.has(canonical)) return decodeUnlabelled;
  const known = iconvDecoders.get(canonical);
  if (known !== undefined) return known;
  // Its tables are loaded when it is first asked for one.
  if (!iconv.encodingExists("utf8") || !(canonical in (iconv.encodings ?? {}))) return decodeUnlabelled;
  const decode = (bytes: Buffer): string => decodeWithIconv(bytes, canonical).toWellFormed();
  iconvDecoders.set(canonical, decode);
  return decode;
}

function decodeWithIconv(bytes: Buffer, encoding: string): string {
  if (bytes.length <= chunkBytes) return iconv.decode(bytes, encoding);
  const decoder = iconv.getDecoder(encoding);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    pieces.push(decoder.write(bytes.subarray(start, start + chunkBytes)));
  }
  pieces.push(decoder.end() ?? "");
  return pieces.join("");
}
