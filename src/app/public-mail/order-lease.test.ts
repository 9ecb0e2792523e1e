import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { leasesOf, type TestLeases } from "../../testing/test-leases.test-aid.ts";
import { onOneNode, orderRetryMs } from "./order-lease.ts";

let clock: FakeClock;
let leases: TestLeases;
const { signal } = new AbortController();
beforeEach(() => {
  clock = new FakeClock();
  leases = leasesOf(clock);
});

/** Runs an action on a node; returns whether it ran. */
async function run(node: string, action: () => Promise<void> = async () => undefined): Promise<boolean> {
  let hasRun = false;
  await onOneNode(leases.node(node), { clock, signal }, async () => {
    hasRun = true;
    await action();
  });
  return hasRun;
}

describe("onOneNode", () => {
  test("runs an action on one node at a time, for as long as it takes", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    for (let second = 0; second < 300; second += 5) {
      expect(await run("b")).toBe(false);
      clock.advance(5000);
    }
    resolve();
    expect(await first).toBe(true);
    expect(await run("b")).toBe(true);
    expect(clock.appointmentCount).toBe(0);
  });

  test("runs it on another node half a minute after the death of the one that did", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    leases.kill("a");
    clock.advance(29_999);
    expect(await run("b")).toBe(false);
    clock.advance(1);
    expect(await run("b")).toBe(true);
    resolve();
    await first;
  });

  test("lets all nodes wait after a failure, and the node that failed try again", async () => {
    const failure = new Error("refused");
    await expect(run("a", () => Promise.reject(failure))).rejects.toBe(failure);
    clock.advance(orderRetryMs - 1);
    expect([await run("b"), await run("a")]).toEqual([false, true]);
    await expect(run("a", () => Promise.reject(failure))).rejects.toBe(failure);
    clock.advance(orderRetryMs);
    expect(await run("b")).toBe(true);
  });

  test("lets another node run it at once when the node stops", async () => {
    const stopping = new AbortController();
    const stopped = onOneNode(leases.node("a"), { clock, signal: stopping.signal }, async () => {
      stopping.abort();
      throw new Error("aborted");
    });
    await expect(stopped).rejects.toThrow("aborted");
    expect(await run("b")).toBe(true);
    expect(clock.appointmentCount).toBe(0);
  });

  test("goes on when the lease cannot be renewed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    leases.isAway = true;
    clock.advance(60_000);
    leases.isAway = false;
    resolve();
    expect(await first).toBe(true);
  });

  test("runs it without nodes", async () => {
    let count = 0;
    await onOneNode(null, { clock, signal }, async () => void (count += 1));
    expect(count).toBe(1);
  });
});
