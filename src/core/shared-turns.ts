/** Longest time in which loops over messages keep a thread from everything else, in milliseconds. */
export const turnMsMax = 10;

/** Clock and event loop of {@link SharedTurns}. */
export interface TurnSource {
  readonly now: () => number;
  /** Calls an action in the next turn of the event loop. */
  readonly defer: (action: () => void) => void;
}

const thisThread: TurnSource = {
  now: () => performance.now(),
  defer: (action) => {
    setImmediate(action);
  },
};

/**
 * Turns of the event loop that all loops over messages on a thread share with its sockets. A loop waits for {@link next} before
 * each message, which takes some milliseconds at most: after {@link turnMsMax} the others have their turn first. Several loops take
 * turns one after the other, so that together they delay a bystander no longer than one of them does.
 */
export class SharedTurns {
  readonly #source: TurnSource;
  readonly #waiting: (() => void)[] = [];
  #startedAt = -Infinity;

  constructor(source: TurnSource = thisThread) {
    this.#source = source;
  }

  /** Resolves at once within a turn, otherwise in a later one, after the loops that have waited for longer. */
  async next(): Promise<void> {
    if (this.#waiting.length === 0 && this.#source.now() - this.#startedAt < turnMsMax) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#source.defer(this.#start);
    });
  }

  readonly #start = (): void => {
    this.#startedAt = this.#source.now();
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#source.defer(this.#start);
  };
}

/** Turns of the main thread. */
export const mainTurns: SharedTurns = new SharedTurns();
