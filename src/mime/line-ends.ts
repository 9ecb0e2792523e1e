/** How much text is worked on at once; longer text is cut, so that what a step needs stays small beside the text. */
const chunkLength = 64 * 1024;

/** Turns every line end (CRLF, CR, LF) into a single LF. */
export function withLfLineEnds(text: string): string {
  if (!text.includes("\r")) return text;
  if (text.length <= chunkLength) return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + chunkLength;
    // A CRLF is not cut in two.
    if (text[end - 1] === "\r" && text[end] === "\n") end += 1;
    // Joined, because what engines replace piece by piece stays a tree of pieces.
    chunks.push(text.slice(start, end).split("\r\n").join("\n").split("\r").join("\n"));
    start = end;
  }
  return chunks.join("");
}

/** Text that is put together out of many small pieces, without keeping them. */
export class TextBuilder {
  readonly #chunks: string[] = [];
  #pieces: string[] = [];

  append(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length >= 4096) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#chunks.join("");
  }

  #join(): void {
    this.#chunks.push(this.#pieces.join(""));
    this.#pieces = [];
  }
}
