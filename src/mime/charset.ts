import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeHz, decodeIso2022Kr } from "./charset-shift.ts";

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
]);

/** RFC 2781 §4.3: a byte order mark decides, else guess; the Encoding standard would always say little-endian. */
const guessedUtf16 = new Set(["utf-16", "utf16", "ucs-2", "ucs2", "unicode", "csunicode", "iso-10646-ucs-2"]);
/** What iconv-lite calls encodings although they are no charsets. */
const notCharsets = new Set(["base64", "hex", "binary"]);
/** Labels that mail uses without meaning it: 8-bit bytes under them are as if unlabelled. */
const asIfUnlabelled = new Set(["", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "default"]);

const decoders = new Map<string, Decode>();
const decoderCountMax = 500;
const decodeWindows1252: Decode = decoderOf("windows-1252");
const decodeUtf8: Decode = decoderOf("utf-8");

/**
 * Decodes bytes by a charset label in any letter case: what the Encoding standard knows as it says there, then what
 * iconv-lite, HZ (RFC 1843) and ISO-2022-KR (RFC 1557) add. Unknown labels, no label and 8-bit bytes under `us-ascii`
 * are UTF-8 when they can be, else windows-1252. Malformed sequences become U+FFFD, so that every text is well-formed
 * Unicode. A byte order mark is dropped.
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
  if (asIfUnlabelled.has(label)) return decodeUnlabelled;
  if (label === "hz-gb-2312" || label === "hz") return (bytes) => decodeHz(bytes, decoderOf("gb18030"));
  if (label === "iso-2022-kr") return (bytes) => decodeIso2022Kr(bytes, decoderOf("euc-kr"));
  if (guessedUtf16.has(label)) return iconvDecoderOf("utf-16");
  const name = aliases.get(label) ?? label;
  try {
    return decoderOf(name);
  } catch {
    if (notCharsets.has(name) || !iconv.encodingExists(name)) return decodeUnlabelled;
    return iconvDecoderOf(name);
  }
}

/** Throws RangeError for labels that the Encoding standard does not know. */
function decoderOf(label: string): Decode {
  const decoder = new TextDecoder(label);
  return (bytes) => decoder.decode(bytes);
}

function iconvDecoderOf(label: string): Decode {
  return (bytes) => iconv.decode(bytes, label).toWellFormed();
}
