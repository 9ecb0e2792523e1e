/** Bytes that are parsed without yielding to the event loop: at most some ten milliseconds. */
const turnBytesMax = 1024 * 1024;
/**
 * Turns of the event loop that a batch waits for further mails after a batch of several, and the size of a full batch. An
 * empty turn takes some ten microseconds; all of them together take less than a commit.
 */
const patienceTurns = 16;
const enoughCount = 24;

interface Waiting<Content> {
  readonly raw: Uint8Array;
  readonly resolve: (content: Content) => void;
}

/**
 * Parses concurrent mails in batches, in order of arrival: a single mail in the next turn of the event loop, several some
 * turns later. The processor's caches then still contain the code and tables for the next mail, and for the later steps:
 * without it a mail takes 15 to 35 % more CPU (docs/reference/performance.md).
 */
export class ReadingTurns<Content> {
  readonly #read: (raw: Uint8Array) => Content;
  #waiting: Waiting<Content>[] = [];
  /** Whether the last batch had more than one mail. */
  #isCrowded = false;

  /** `read` must not throw. */
  constructor(read: (raw: Uint8Array) => Content) {
    this.#read = read;
  }

  /** Resolves with the parsed mail. */
  async read(raw: Uint8Array): Promise<Content> {
    return new Promise((resolve) => {
      this.#waiting.push({ raw, resolve });
      if (this.#waiting.length === 1) this.#wake(this.#isCrowded ? patienceTurns : 0);
    });
  }

  #wake(patience: number): void {
    setImmediate(() => {
      if (patience > 0 && this.#waiting.length < enoughCount) this.#wake(patience - 1);
      else this.#take();
    });
  }

  #take(): void {
    let [count, bytes] = [0, 0];
    for (; count < this.#waiting.length && bytes < turnBytesMax; count += 1) {
      bytes += this.#waiting[count]?.raw.byteLength ?? 0;
    }
    const turn = this.#waiting;
    this.#waiting = turn.splice(count);
    this.#isCrowded = count > 1;
    for (const { raw, resolve } of turn) resolve(this.#read(raw));
    if (this.#waiting.length > 0) this.#wake(0);
  }
}
