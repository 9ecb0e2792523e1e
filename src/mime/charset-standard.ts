import { createRequire } from "node:module";
import type * as Exodus from "@exodus/bytes/encoding.js";

type Decode = (bytes: Buffer) => string;

let loaded: typeof Exodus | undefined;
/** Decoders by the encoding's name, of which the standard has 39. */
const decoders = new Map<string, Decode>();

/** Loaded with the first label that needs it: most services receive little but UTF-8 and ASCII. */
function load(): typeof Exodus {
  loaded ??= createRequire(import.meta.url)("@exodus/bytes/encoding.js") as typeof Exodus;
  return loaded;
}

/**
 * Returns the decoder of a label of the Encoding standard (§4.2), with the tables of the standard; null for other labels and
 * for those of charsets that browsers refuse to decode ("replacement"). Node's `TextDecoder` has other tables for Big5 and
 * EUC-KR. Decoders keep no state between calls, replace malformed sequences by U+FFFD, and return well-formed Unicode.
 */
export function standardDecoder(label: string): Decode | null {
  const { normalizeEncoding, TextDecoder } = load();
  const encoding = normalizeEncoding(label);
  if (encoding === null || encoding === "replacement") return null;
  const known = decoders.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(encoding);
  const decode: Decode = (bytes) => decoder.decode(bytes);
  decoders.set(encoding, decode);
  return decode;
}
