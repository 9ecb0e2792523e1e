import type { RawContent } from "../../store/raw-content.ts";

/**
 * Reads ranges of a raw mail. Ranges in ascending order cost one pass over the mail, which may be compressed
 * as a whole; one that starts before the end of the previous one starts another pass.
 */
export class RangeReader {
  readonly #raw: RawContent;
  #chunks: AsyncIterator<Uint8Array> | null = null;
  #chunk: Uint8Array = new Uint8Array();
  /** Position of the end of the chunk in the mail. */
  #chunkEnd = 0;

  constructor(raw: RawContent) {
    this.#raw = raw;
  }

  /** Returns a copy of the bytes from `start` to before `end`; fewer when the mail is shorter. Throws as the content does. */
  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.max(0, end - start));
    let length = 0;
    while (length < bytes.length) {
      const chunk = await this.#chunkAt(start + length);
      if (chunk === null) break;
      const taken = chunk.subarray(0, bytes.length - length);
      bytes.set(taken, length);
      length += taken.length;
    }
    return length === bytes.length ? bytes : bytes.slice(0, length);
  }

  /** Ends the pass. */
  async close(): Promise<void> {
    await this.#chunks?.return?.();
    this.#chunks = null;
  }

  /** Returns the rest of the chunk that contains a position, from there; null after the end. */
  async #chunkAt(position: number): Promise<Uint8Array | null> {
    if (this.#chunks === null || position < this.#chunkEnd - this.#chunk.length) {
      await this.close();
      this.#chunks = this.#raw.read()[Symbol.asyncIterator]();
      this.#chunk = new Uint8Array();
      this.#chunkEnd = 0;
    }
    while (position >= this.#chunkEnd) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#chunk = next.value;
      this.#chunkEnd += this.#chunk.length;
    }
    return this.#chunk.subarray(this.#chunk.length - (this.#chunkEnd - position));
  }
}
