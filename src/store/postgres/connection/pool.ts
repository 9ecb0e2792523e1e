/**
 * Connection pool: opens connections on demand, keeps usable ones, and reconnects with growing pauses during an outage.
 */
import type { Clock } from "../../../core/clock.ts";
import type { Connection } from "./connection.ts";
import { unavailable } from "./errors.ts";

/** Options of a pool. */
export interface PoolOptions {
  readonly connect: () => Promise<Connection>;
  readonly clock: Clock;
  /** Maximum number of connections. */
  readonly sizeMax: number;
  /** Longest wait for a connection in milliseconds, counted from the start of an outage during one. */
  readonly connectionWaitMsMax: number;
  /** Random number from 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Called once when no connection can be opened, with the error. */
  readonly onUnreachable?: ((cause: unknown) => void) | undefined;
  /** Called once when connections can be opened again, with the milliseconds since {@link onUnreachable}. */
  readonly onReachable?: ((goneMs: number) => void) | undefined;
}

const firstPauseMs = 50;
const pauseMsMax = 2000;
/** Maximum number of waiting callers; further ones are rejected at once. */
const queueLengthMax = 20_000;

interface Asker {
  readonly give: (connection: Connection) => void;
  readonly refuse: (cause: unknown) => void;
}

/** Pool that is empty at first. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #queue = new Set<Asker>();
  #openingCount = 0;
  #failureCount = 0;
  #downSince: number | null = null;
  #lastFault: unknown = null;
  #isClosed = false;
  #cancelPause: (() => void) | null = null;
  #onEmpty: () => void = () => undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Lends a connection to `body`. Rejects with `unavailable` when none is available in time, or when the outage lasts
   * longer than that; the pool keeps reconnecting meanwhile.
   */
  async use<Result>(body: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = this.#takeIdle() ?? (await this.#wait());
    try {
      return await body(connection);
    } finally {
      this.#putBack(connection);
    }
  }

  /** Rejects new callers; resolves when all lent connections were returned and closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPause?.();
    for (const asker of this.#queue) asker.refuse(new Error("the store is closed"));
    for (const connection of this.#idle.splice(0)) this.#drop(connection);
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable()) return connection;
      this.#drop(connection);
    }
    return undefined;
  }

  async #wait(): Promise<Connection> {
    if (this.#isClosed) throw unavailable(new Error("the store is closed"));
    const { clock, connectionWaitMsMax } = this.#options;
    const waitMs = (this.#downSince ?? clock.monotonicMs()) + connectionWaitMsMax - clock.monotonicMs();
    if (waitMs <= 0 || this.#queue.size >= queueLengthMax) throw unavailable(this.#lastFault);
    return new Promise<Connection>((resolve, reject) => {
      const leave = (): void => {
        this.#queue.delete(asker);
        cancel();
      };
      const asker: Asker = {
        give: (connection) => {
          leave();
          resolve(connection);
        },
        refuse: (cause) => {
          leave();
          reject(unavailable(cause));
        },
      };
      const cancel = clock.after(waitMs, () => {
        asker.refuse(this.#lastFault ?? new Error("every connection to the database is busy"));
      });
      this.#queue.add(asker);
      this.#grow();
    });
  }

  #putBack(connection: Connection): void {
    if (this.#isClosed || !connection.isUsable()) {
      this.#drop(connection);
      this.#grow();
      return;
    }
    const [asker] = this.#queue;
    if (asker === undefined) this.#idle.push(connection);
    else asker.give(connection);
  }

  #drop(connection: Connection): void {
    connection.close();
    this.#open.delete(connection);
    if (this.#isClosed && this.#open.size === 0) this.#onEmpty();
  }

  /** Opens as many connections as callers wait for; one at a time during an outage. */
  #grow(): void {
    const isDown = this.#downSince !== null;
    const wanted = isDown ? 1 : this.#queue.size;
    while (
      !this.#isClosed &&
      this.#cancelPause === null &&
      this.#openingCount < wanted &&
      this.#open.size + this.#openingCount < this.#options.sizeMax
    ) {
      this.#openingCount += 1;
      void this.#openOne();
    }
  }

  async #openOne(): Promise<void> {
    try {
      const connection = await this.#options.connect();
      this.#openingCount -= 1;
      this.#failureCount = 0;
      this.#comeBack();
      this.#open.add(connection);
      connection.onEnd(() => {
        const position = this.#idle.indexOf(connection);
        if (position >= 0) this.#drop(this.#idle.splice(position, 1)[0] ?? connection);
      });
      this.#putBack(connection);
      this.#grow();
    } catch (error) {
      this.#openingCount -= 1;
      this.#pauseAfter(error);
    }
  }

  #go(cause: unknown): void {
    if (this.#downSince !== null) return;
    this.#downSince = this.#options.clock.monotonicMs();
    this.#options.onUnreachable?.(cause);
  }

  #comeBack(): void {
    if (this.#downSince === null) return;
    const goneMs = this.#options.clock.monotonicMs() - this.#downSince;
    this.#downSince = null;
    this.#options.onReachable?.(goneMs);
  }

  #pauseAfter(error: unknown): void {
    if (this.#isClosed) return;
    const { clock, random } = this.#options;
    this.#lastFault = error;
    this.#go(error);
    if (this.#cancelPause !== null) return;
    const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** this.#failureCount) * (0.5 + random());
    this.#failureCount += 1;
    this.#cancelPause = clock.after(pauseMs, () => {
      this.#cancelPause = null;
      this.#grow();
    });
  }
}
