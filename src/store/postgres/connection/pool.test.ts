import { describe, expect, test } from "vitest";
import type { Clock } from "../../../core/clock.ts";
import type { Connection } from "./connection.ts";
import { Pool } from "./pool.ts";

/** Clock that advances only on `advance`. */
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

  async advance(ms: number): Promise<void> {
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
  isDown = false;
  attempts: number[] = [];
  readonly open = new Set<Connection>();
  readonly clock = new TestClock();
  openCountMax = 0;
  readonly events: string[] = [];
  readonly #endings = new Map<Connection, () => void>();

  pool(sizeMax = 3): Pool {
    const connect = () => this.connect();
    return new Pool({
      connect,
      clock: this.clock,
      sizeMax,
      connectionWaitMsMax: 5000,
      random: () => 0.5,
      onUnreachable: (cause) => this.events.push(`unreachable: ${String(cause)}`),
      onReachable: (outageMs) => this.events.push(`reachable after ${outageMs} ms`),
    });
  }

  connect(): Promise<Connection> {
    this.attempts.push(this.clock.now());
    if (this.isDown) return Promise.reject(new Error("down"));
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

  /** Closes every connection and rejects new ones. */
  goDown(): void {
    this.isDown = true;
    for (const connection of this.open) {
      connection.close();
      this.#endings.get(connection)?.();
    }
  }
}

/** Uses a connection of the pool until `end` is called. */
function task(pool: Pool): { readonly done: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => (end = resolve));
  return { done: pool.use(() => until), end: () => end() };
}

describe("a pool", () => {
  test("opens connections on demand up to its limit and grants them in the order of requests", async () => {
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

  test("reuses a connection after its user rejects", async () => {
    const server = new Server();
    const pool = server.pool(1);
    for (let round = 0; round < 5; round += 1) {
      await expect(pool.use(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    }
    expect(server.attempts).toHaveLength(1);
    await pool.close();
  });

  test("rejects with unavailable when no connection is free in time", async () => {
    const server = new Server();
    const pool = server.pool(1);
    const busy = task(pool);
    await settle();
    const late = pool.use(() => Promise.resolve()).catch((error: unknown) => error);
    await server.clock.advance(5000);
    expect(await late).toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
    busy.end();
    await busy.done;
    await pool.close();
  });

  test("reconnects with backoff during an outage and rejects callers immediately after the wait limit", async () => {
    const server = new Server();
    const pool = server.pool(3);
    await pool.use(() => Promise.resolve());
    server.goDown();
    server.attempts = [];
    const waiting = Array.from({ length: 5 }, () => pool.use(() => Promise.resolve()).catch((error: unknown) => error));
    await server.clock.advance(5000);
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: "unavailable" });
    await expect(pool.use(() => Promise.resolve())).rejects.toMatchObject({ code: "unavailable" });
    await server.clock.advance(60_000);
    const times = [...new Set(server.attempts)];
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(server.attempts.filter((at) => at > 0)).toEqual(times.slice(1));
    expect(pauses.slice(0, 7)).toEqual([50, 100, 200, 400, 800, 1600, 2000]);
    expect(new Set(pauses.slice(7))).toEqual(new Set([2000]));
    expect(server.events).toEqual(["unreachable: Error: down"]);
    server.isDown = false;
    await server.clock.advance(2000);
    expect(server.events.slice(1)).toEqual([expect.stringMatching(/^reachable after 6\d{4} ms$/)]);
    await pool.use(() => Promise.resolve());
    await pool.close();
    expect(server.events).toHaveLength(2);
  });

  test("waits for connections in use when it closes, and rejects new requests", async () => {
    const server = new Server();
    const pool = server.pool();
    const inUse = task(pool);
    await settle();
    let isClosed = false;
    const closing = pool.close().then(() => (isClosed = true));
    await expect(pool.use(() => Promise.resolve())).rejects.toMatchObject({ code: "unavailable" });
    expect(isClosed).toBe(false);
    inUse.end();
    await closing;
    expect(server.open.size).toBe(0);
  });
});
