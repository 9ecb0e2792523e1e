import { createRequire } from "node:module";
import type * as Iconv from "iconv-lite";

/** Names that iconv-lite accepts although they are not charsets. */
const notCharsets = new Set(["base64", "hex", "binary", "utf7imap"]);
/** Bytes decoded at once: iconv-lite builds text in small strings. */
const chunkBytes = 64 * 1024;
let loaded: typeof Iconv | undefined;

/** Loaded with the first label that needs it: four files of a start, and most services never receive one. */
function load(): typeof Iconv {
  loaded ??= createRequire(import.meta.url)("iconv-lite") as typeof Iconv;
  return loaded;
}

/**
 * Returns iconv-lite's decoder of a label without punctuation, as iconv-lite compares them; null if it does not know the label.
 * The result is well-formed Unicode.
 */
export function iconvDecoder(label: string): ((bytes: Buffer) => string) | null {
  if (notCharsets.has(label)) return null;
  const iconv = load();
  // iconv-lite loads its tables with the first call. For unknown labels, `encodingExists` throws and catches, which is slow.
  if (!iconv.encodingExists("utf8") || !(label in (iconv.encodings ?? {}))) return null;
  return (bytes) => decode(iconv, bytes, label).toWellFormed();
}

function decode(iconv: typeof Iconv, bytes: Buffer, encoding: string): string {
  if (bytes.length <= chunkBytes) return iconv.decode(bytes, encoding);
  const decoder = iconv.getDecoder(encoding);
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    texts.push(decoder.write(bytes.subarray(start, start + chunkBytes)));
  }
  texts.push(decoder.end() ?? "");
  return texts.join("");
}
