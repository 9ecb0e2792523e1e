/** UTF-16 code units that are processed at once, which bounds the memory beside the text. */
const chunkLength = 64 * 1024;

/** Replaces every line end (CRLF, CR, LF) by a single LF. */
export function withLfLineEnds(text: string): string {
  if (!text.includes("\r")) return text;
  if (text.length <= chunkLength) return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + chunkLength;
    // Do not split a CRLF.
    if (text[end - 1] === "\r" && text[end] === "\n") end += 1;
    // Joined, because engines keep the result of many replacements as a tree of small strings.
    chunks.push(text.slice(start, end).split("\r\n").join("\n").split("\r").join("\n"));
    start = end;
  }
  return chunks.join("");
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
