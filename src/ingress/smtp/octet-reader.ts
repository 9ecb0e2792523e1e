import type { ContentSink } from "./mail-buffer.ts";
import type { ContentReader } from "./input.ts";

/** Reader of a fixed number of octets: one chunk of BDAT (RFC 3030 §2). Drops them without a sink. */
export class OctetReader implements ContentReader {
  readonly #sink: ContentSink | null;
  #octetsLeft: number;

  constructor(octetCount: number, sink: ContentSink | null) {
    this.#octetsLeft = octetCount;
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#octetsLeft === 0;
  }

  read(chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + this.#octetsLeft);
    this.#octetsLeft -= end - offset;
    this.#sink?.add(chunk, offset, end);
    return end;
  }

  adopt(chunk: Buffer): void {
    this.#sink?.adopt?.(chunk);
  }
}
