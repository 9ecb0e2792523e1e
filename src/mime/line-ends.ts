/** UTF-16 code units that are processed at once, which bounds the memory beside the text. */
const chunkLength = 64 * 1024;

const crlf = Buffer.from("\r\n");

/** Replaces every line end (CRLF, CR, LF) by a single LF. */
export function withLfLineEnds(text: string): string {
  if (!text.includes("\r")) return text;
  if (text.length <= chunkLength) return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  // Joined, because engines keep the result of many replacements as a tree of small strings.
  return inChunks(text, (chunk) => chunk.split("\r\n").join("\n").split("\r").join("\n"));
}

/** Replaces every line end (CRLF, CR, LF) by `lineEnd`, with memory for the result and one chunk. */
export function withLineEnds(text: string, lineEnd: string): string {
  return inChunks(text, (chunk) => chunk.split(/\r\n?|\n/).join(lineEnd));
}

/** Converts a text chunk by chunk, which bounds the memory of the conversion; no CRLF is divided. */
function inChunks(text: string, convert: (chunk: string) => string): string {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + chunkLength;
    if (text[end - 1] === "\r" && text[end] === "\n") end += 1;
    chunks.push(convert(text.slice(start, end)));
    start = end;
  }
  return chunks.join("");
}

const cr = 0x0d;
const lf = 0x0a;

/**
 * Returns text in an ASCII-compatible charset with LF in place of CRLF, which leaves less garbage than {@link withLfLineEnds} of
 * the decoded text. Returns texts above 64 KiB, with a lone CR, or without CRLF as they are.
 */
export function withLfBytes(bytes: Buffer): Buffer {
  if (bytes.length > chunkLength || !bytes.includes(crlf)) return bytes;
  const target = Buffer.allocUnsafe(bytes.length);
  let [from, length] = [0, 0];
  for (let at = bytes.indexOf(cr); at !== -1; at = bytes.indexOf(cr, at + 1)) {
    if (bytes[at + 1] !== lf) return bytes;
    length += bytes.copy(target, length, from, at);
    from = at + 1;
  }
  length += bytes.copy(target, length, from);
  return target.subarray(0, length);
}

/** Builder of a text from many small strings, without retaining each. */
export class TextBuilder {
  readonly #chunks: string[] = [];
  #pending: string[] = [];

  append(text: string): void {
    this.#pending.push(text);
    if (this.#pending.length >= 4096) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#chunks.join("");
  }

  #join(): void {
    this.#chunks.push(this.#pending.join(""));
    this.#pending = [];
  }
}
