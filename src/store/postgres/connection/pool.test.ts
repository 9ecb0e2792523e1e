import { describe, expect, test } from "vitest";
import type { Clock } from "../../../core/clock.ts";
import type { Connection } from "./connection.ts";
import { Pool } from "./pool.ts";

/** Time that passes when a test says so. */
class TestClock implements Clock {
  monotonicMs(): number {
    return this.now();
  }

  #now = 0;
  readonly #appointments = new Set<{ readonly at: number; readonly action: () => void }>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): () => void {
    const appointment = { at: this.#now + delayMs, action };
    this.#appointments.add(appointment);
    return () => void this.#appointments.delete(appointment);
  }

  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const [next] = [...this.#appointments].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#appointments.delete(next);
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

class Server {
  isAway = false;
  attempts: number[] = [];
  readonly open = new Set<Connection>();
  readonly clock = new TestClock();
  openCountMax = 0;
  readonly news: string[] = [];
  readonly #endings = new Map<Connection, () => void>();

  pool(sizeMax = 3): Pool {
    const connect = () => this.connect();
    return new Pool({
      connect,
      clock: this.clock,
      sizeMax,
      connectionWaitMsMax: 5000,
      random: () => 0.5,
      onUnreachable: (cause) => this.news.push(`gone: ${String(cause)}`),
      onReachable: (goneMs) => this.news.push(`back after ${goneMs} ms`),
    });
  }

  connect(): Promise<Connection> {
    this.attempts.push(this.clock.now());
    if (this.isAway) return Promise.reject(new Error("away"));
    let isUsable = true;
    const connection: Connection = {
      host: { host: "h", port: 1 },
      run: () => Promise.resolve([]),
      isDirect: () => Promise.resolve(true),
      isUsable: () => isUsable,
      onEnd: (listener) => void this.#endings.set(connection, listener),
      onNotification: () => undefined,
      close: () => {
        isUsable = false;
        this.open.delete(connection);
      },
    };
    this.open.add(connection);
    this.openCountMax = Math.max(this.openCountMax, this.open.size);
    return Promise.resolve(connection);
  }

  /** Every connection breaks, and none is made any more. */
  goAway(): void {
    this.isAway = true;
    for (const connection of this.open) {
      connection.close();
      this.#endings.get(connection)?.();
    }
  }
}

/** Something that needs a connection until it is told to end. */
function task(pool: Pool): { readonly done: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => (end = resolve));
  return { done: pool.use(() => until), end: () => end() };
}

describe("a pool", () => {
  test("opens connections as they are needed, no more than it may, and gives them on in the order of asking", async () => {
    const server = new Server();
    const pool = server.pool(3);
    await pool.use(() => Promise.resolve());
    await pool.use(() => Promise.resolve());
    expect(server.attempts).toHaveLength(1);
    const finished: number[] = [];
    const tasks = Array.from({ length: 10 }, (_, number) => {
      const one = task(pool);
      void one.done.then(() => finished.push(number));
      return one;
    });
    await settle();
    expect(server.open.size).toBe(3);
    for (const one of tasks) {
      one.end();
      await settle();
    }
    expect(finished).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(server.openCountMax).toBe(3);
    await pool.close();
    expect(server.open.size).toBe(0);
  });

  test("gives back a connection whatever its borrower met", async () => {
    const server = new Server();
    const pool = server.pool(1);
    for (let round = 0; round < 5; round += 1) {
      await expect(pool.use(() => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    }
    expect(server.attempts).toHaveLength(1);
    await pool.close();
  });

  test("that is busy sends away who has waited long enough", async () => {
    const server = new Server();
    const pool = server.pool(1);
    const busy = task(pool);
    await settle();
    const late = pool.use(() => Promise.resolve()).catch((error: unknown) => error);
    await server.clock.pass(5000);
    expect(await late).toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
    busy.end();
    await busy.done;
    await pool.close();
  });

  test("whose database goes tries again with growing pauses, one at a time, and sends callers away at once after a while", async () => {
    const server = new Server();
    const pool = server.pool(3);
    await pool.use(() => Promise.resolve());
    server.goAway();
    server.attempts = [];
    const patient = Array.from({ length: 5 }, () => pool.use(() => Promise.resolve()).catch((error: unknown) => error));
    await server.clock.pass(5000);
    for (const error of await Promise.all(patient)) expect(error).toMatchObject({ code: "unavailable" });
    await expect(pool.use(() => Promise.resolve())).rejects.toMatchObject({ code: "unavailable" });
    await server.clock.pass(60_000);
    const times = [...new Set(server.attempts)];
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(server.attempts.filter((at) => at > 0)).toEqual(times.slice(1));
    expect(pauses.slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1600, 2000]);
    expect(new Set(pauses.slice(7))).toEqual(new Set([2000]));
    expect(server.news).toEqual(["gone: Error: away"]);
    server.isAway = false;
    await server.clock.pass(2000);
    expect(server.news.slice(1)).toEqual([expect.stringMatching(/^back after 6\d{4} ms$/)]);
    await pool.use(() => Promise.resolve());
    await pool.close();
    expect(server.news).toHaveLength(2);
  });

  test("that is closed waits for what is lent, and lends no more", async () => {
    const server = new Server();
    const pool = server.pool();
    const lent = task(pool);
    await settle();
    let isClosed = false;
    const closing = pool.close().then(() => (isClosed = true));
    await expect(pool.use(() => Promise.resolve())).rejects.toMatchObject({ code: "unavailable" });
    expect(isClosed).toBe(false);
    lent.end();
    await closing;
    expect(server.open.size).toBe(0);
  });
});
