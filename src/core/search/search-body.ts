/**
 * Searchable body of a message: text part, HTML source and visible text, each folded by `foldText`. It is compared as one text,
 * joined by line feeds, but kept in pieces, because it is larger than everything else that is kept of a mail until its commit.
 */
export class SearchBody {
  #texts: readonly string[] | null;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** The whole text, which is joined once; null after {@link release}. */
  get text(): string | null {
    if (this.#texts === null) return null;
    const text = this.#texts.join("\n");
    this.#texts = [text];
    return text;
  }

  /** Size in bytes of UTF-8. Throws after {@link release}. */
  get byteLength(): number {
    const texts = this.#present();
    let length = Math.max(0, texts.length - 1);
    for (const text of texts) length += Buffer.byteLength(text);
    return length;
  }

  /** Writes {@link byteLength} bytes at an offset of the target; returns the offset after them. Throws after {@link release}. */
  writeTo(target: Buffer, offset: number): number {
    let at = offset;
    for (const [index, text] of this.#present().entries()) {
      if (index > 0) at = target.writeUInt8(lineFeed, at);
      at += target.write(text, at);
    }
    return at;
  }

  /** Frees the texts, which nothing can read afterwards. */
  release(): void {
    this.#texts = null;
  }

  #present(): readonly string[] {
    if (this.#texts === null) throw new Error("The search body was released");
    return this.#texts;
  }
}

const lineFeed = 0x0a;
