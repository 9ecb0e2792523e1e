import { doubled, release } from "./arrays.ts";

/** The state that stands for no message. */
export const emptyState: number = 0;

/**
 * Sets of messages that only grow at their end, as numbers: a state stands for the messages of its parent and one more.
 * Whatever is in the same state and meets the same message goes to the same state, so that sets that are equal because
 * their owners always occur together are one.
 */
export class MessageStates {
  #count = 1;
  /** For each state: its parent, the message it adds, the state last reached from it, the message that led there. */
  #cells = new Int32Array(4 * 1024);

  constructor() {
    this.#cells.fill(-1, 0, 4);
  }

  get count(): number {
    return this.#count;
  }

  /** The state that `state` becomes with a message; messages come in ascending order, repeated ones change nothing. */
  next(state: number, message: number): number {
    const cell = state * 4;
    if (this.#cells[cell + 1] === message) return state;
    if (this.#cells[cell + 3] === message) return this.#cells[cell + 2] ?? emptyState;
    const next = this.#count++;
    if (next * 4 >= this.#cells.length) this.#cells = new Int32Array(doubled(this.#cells.buffer));
    this.#cells[next * 4] = state;
    this.#cells[next * 4 + 1] = message;
    this.#cells[next * 4 + 3] = -1;
    this.#cells[cell + 2] = next;
    this.#cells[cell + 3] = message;
    return next;
  }

  /** The state without its last message. */
  parentOf(state: number): number {
    return this.#cells[state * 4] ?? emptyState;
  }

  /** The last message of a state that is not empty. */
  lastOf(state: number): number {
    return this.#cells[state * 4 + 1] ?? 0;
  }

  /** Frees the memory; nothing may be asked afterwards. */
  release(): void {
    release(this.#cells);
  }
}
