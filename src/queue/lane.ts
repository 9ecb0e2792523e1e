import type { Claimed } from "./claims.ts";

/** Claimed work of one key: a server, a receiver, or the whole queue. At most `countMax` pieces run at the same time. */
export class Lane<Item> {
  readonly key: string;
  /** Claimed work without a running attempt, in the order of the claims. */
  protected waiting: Claimed<Item>[] = [];
  readonly #countMax: number;
  #runningCount = 0;
  #hasMore = false;

  constructor(key: string, countMax: number) {
    this.key = key;
    this.#countMax = countMax;
  }

  /** Number of running attempts. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Number of claimed pieces that wait. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Whether nothing waits or runs. */
  get isIdle(): boolean {
    return this.#runningCount === 0 && this.waiting.length === 0;
  }

  /** Whether the store may hold more work that is due. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Returns the number of attempts that may run now; `shareMax` is an equal share when much runs, `nowMs` is monotonic. */
  limit(_shareMax: number, _nowMs: number): number {
    return this.#countMax;
  }

  /** Returns the number of pieces to claim. */
  wantedCount(_nowMs: number): number {
    return Math.max(0, this.#countMax - this.#runningCount - this.waiting.length);
  }

  /** Adds claimed work; `hasMore` when the store may hold more that is due. */
  add(claimed: readonly Claimed<Item>[], hasMore: boolean): void {
    this.waiting.push(...claimed);
    this.#hasMore = hasMore;
  }

  /** Starts an attempt: takes the first piece that may run. Undefined when none may. */
  begin(): Claimed<Item> | undefined {
    const [first] = this.choose();
    if (first !== undefined) this.#runningCount += 1;
    return first;
  }

  /** Ends an attempt that carried this work. */
  end(_carried: readonly Claimed<Item>[]): void {
    this.#runningCount -= 1;
  }

  /** Removes and returns waiting work that will not run soon. */
  shed(nowMs: number): readonly Claimed<Item>[] {
    const unsent = this.withhold(nowMs);
    if (unsent.length > 0) this.#hasMore = true;
    return unsent;
  }

  /** Removes and returns all waiting work. */
  removeWaiting(): readonly Claimed<Item>[] {
    return this.waiting.splice(0);
  }

  /** Removes and returns the next piece that may run. */
  protected choose(): readonly Claimed<Item>[] {
    return this.waiting.splice(0, 1);
  }

  /** Removes and returns the work that {@link shed} returns; none by default. */
  protected withhold(_nowMs: number): readonly Claimed<Item>[] {
    return [];
  }
}
