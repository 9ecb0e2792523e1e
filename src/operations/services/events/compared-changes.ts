interface Range {
  first: number;
  last: number;
}

/** Number of ranges; those of the oldest changes are forgotten first. */
const rangeCountMax = 64;

/**
 * Changes of a server, by sequence number, that were compared with its waiters. Those of this node come before earlier ones of
 * other nodes, and some never come.
 */
export class ComparedChanges {
  /** Ascending; between two of them, at least one change is missing. */
  readonly #ranges: Range[] = [];

  /** Last compared change; 0 for none. */
  get last(): number {
    return this.#ranges.at(-1)?.last ?? 0;
  }

  /** Adds a change, which may be a repeated one. */
  add(sequence: number): void {
    const after = this.#ranges.findLastIndex(({ first }) => first <= sequence) + 1;
    const [before, next] = [this.#ranges[after - 1], this.#ranges[after]];
    if (before !== undefined && sequence <= before.last) return;
    const joinsNext = next?.first === sequence + 1;
    if (before?.last === sequence - 1) {
      before.last = joinsNext ? next.last : sequence;
      if (joinsNext) this.#ranges.splice(after, 1);
    } else if (joinsNext) next.first = sequence;
    else this.#ranges.splice(after, 0, { first: sequence, last: sequence });
    if (this.#ranges.length > rangeCountMax) this.#ranges.shift();
  }

  /** Returns the first change from which all up to this one were compared; the one after it when it was not compared itself. */
  firstBefore(sequence: number): number {
    const range = this.#ranges.findLast(({ first }) => first <= sequence);
    return range === undefined || range.last < sequence ? sequence + 1 : range.first;
  }

  /** Forgets all changes. */
  clear(): void {
    this.#ranges.length = 0;
  }
}
