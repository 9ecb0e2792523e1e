import { describe, expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const limits = { runningCountMax: 1, waitingPerKeyCountMax: 3, waitingCountMax: 5 };

/** Action that runs until it is released. */
function gate(): { readonly action: () => Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { action: () => promise, open: resolve };
}

/** Queues actions that record their name when they run. */
function recorder(queue: FairQueue, order: string[]): (key: string, name: string) => Promise<void> {
  return async (key, name) =>
    queue.run(key, async () => {
      order.push(name);
      await Promise.resolve();
    });
}

describe("a fair queue", () => {
  test("serves the keys in turn, however many actions one of them queued first", async () => {
    const queue = new FairQueue(limits);
    const order: string[] = [];
    const first = gate();
    const add = recorder(queue, order);
    const all = [queue.run("a", first.action), add("a", "a1"), add("a", "a2"), add("b", "b1"), add("c", "c1")];
    expect(queue.waitingCount).toBe(4);
    first.open();
    await Promise.all(all);
    expect(order).toEqual(["b1", "c1", "a1", "a2"]);
    expect(queue.runningCount + queue.waitingCount).toBe(0);
  });

  test("serves a key that has no running action before one that has", async () => {
    const queue = new FairQueue({ ...limits, runningCountMax: 2 });
    const order: string[] = [];
    const [long, short] = [gate(), gate()];
    const add = recorder(queue, order);
    const all = [queue.run("a", long.action), queue.run("b", short.action), add("a", "a1"), add("c", "c1")];
    short.open();
    await Promise.all(all.slice(1));
    expect(order).toEqual(["c1", "a1"]);
    long.open();
    await Promise.all(all);
  });

  test("rejects excess actions of one key with too_many_requests and accepts those of other keys", async () => {
    const queue = new FairQueue(limits);
    const first = gate();
    const held = [first.action, first.action, first.action, first.action].map((action) => queue.run("a", action));
    await expect(queue.run("a", first.action)).rejects.toMatchObject({
      code: "too_many_requests",
      retryAfterSeconds: 1,
    });
    held.push(queue.run("b", first.action), queue.run("c", first.action));
    await expect(queue.run("d", first.action)).rejects.toMatchObject({ code: "unavailable" });
    first.open();
    await Promise.all(held);
  });

  test("limits the running actions of one key", async () => {
    const queue = new FairQueue({ ...limits, runningCountMax: 2, runningPerKeyCountMax: 1 });
    const first = gate();
    const held = [queue.run("a", first.action), queue.run("a", first.action), queue.run("b", first.action)];
    expect([queue.runningCount, queue.waitingCount]).toEqual([2, 1]);
    first.open();
    await Promise.all(held);
  });

  test("drops a waiting action whose caller disconnects", async () => {
    const queue = new FairQueue(limits);
    const first = gate();
    const abort = new AbortController();
    let started = false;
    const held = queue.run("a", first.action);
    const left = queue.run(
      "a",
      async () => {
        started = true;
        await Promise.resolve();
      },
      abort.signal,
    );
    abort.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await expect(queue.run("b", first.action, abort.signal)).rejects.toThrow("left");
    first.open();
    await held;
    expect([started, queue.waitingCount, queue.runningCount]).toEqual([false, 0, 0]);
  });

  test("holds the actions of one key until they are released, and runs those of others", async () => {
    const queue = new FairQueue({ ...limits, runningCountMax: 2 });
    const order: string[] = [];
    const add = recorder(queue, order);
    const [release, releaseAgain] = [queue.hold("a"), queue.hold("a")];
    const held = [add("a", "a1"), add("a", "a2")];
    await add("b", "b1");
    release();
    release();
    await add("b", "b2");
    releaseAgain();
    await Promise.all(held);
    expect(order).toEqual(["b1", "b2", "a1", "a2"]);
    expect(queue.runningCount + queue.waitingCount).toBe(0);
  });

  test("continues after an action that fails", async () => {
    const queue = new FairQueue(limits);
    await expect(queue.run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await expect(queue.run("a", () => Promise.resolve(1))).resolves.toBe(1);
  });
});
