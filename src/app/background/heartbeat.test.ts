import { expect, test } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { NodeStore } from "../../store/node-store.ts";
import { silenceMsMax, startHeartbeat } from "./heartbeat.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A store in which a node can say that it lives, until it is away. */
function setUp(): { clock: FakeClock; told: string[]; state: { isAway: boolean; holds: boolean }; nodes: NodeStore } {
  const told: string[] = [];
  const state = { isAway: false, holds: true };
  const reached = <Value>(word: string, value: Value): Promise<Value> => {
    if (state.isAway) return Promise.reject(new Error("away"));
    told.push(word);
    return Promise.resolve(value);
  };
  const nodes: NodeStore = {
    id: "me",
    tell: () => undefined,
    onWord: () => undefined,
    readSequences: () => Promise.resolve(new Map()),
    readEvents: () => Promise.resolve([]),
    stayAlive: () => reached("alive", undefined),
    hold: () => reached("hold", state.holds),
    release: () => Promise.resolve(),
    endLeasesOfDead: () => reached("end", 1),
    close: () => Promise.resolve(),
  };
  return { clock: new FakeClock(), told, state, nodes };
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    clock.advance(1000);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

test("a node speaks at once and often enough, and the one that watches ends dead ones' leases, not at first", async () => {
  const { clock, told, nodes } = setUp();
  let wakes = 0;
  const stop = await startHeartbeat(nodes, {
    clock,
    log: silent,
    tasks: unobservedTasks,
    wakeOutbox: () => (wakes += 1),
  });
  expect(told).toEqual(["alive"]);
  await pass(clock, silenceMsMax);
  expect(told.filter((word) => word === "alive").length).toBeGreaterThan(3);
  expect(told).not.toContain("end");
  await pass(clock, 4000);
  expect(told).toContain("end");
  expect(wakes).toBeGreaterThan(0);
  await stop();
});

test("a node that does not watch ends nothing", async () => {
  const { clock, told, state, nodes } = setUp();
  state.holds = false;
  const stop = await startHeartbeat(nodes, { clock, log: silent, tasks: unobservedTasks, wakeOutbox: () => undefined });
  await pass(clock, 60_000);
  expect(told).not.toContain("end");
  await stop();
});

test("after an outage everybody has time to speak before anybody counts as dead", async () => {
  const { clock, told, state, nodes } = setUp();
  const stop = await startHeartbeat(nodes, { clock, log: silent, tasks: unobservedTasks, wakeOutbox: () => undefined });
  await pass(clock, 20_000);
  state.isAway = true;
  await pass(clock, 20_000);
  state.isAway = false;
  told.length = 0;
  await pass(clock, silenceMsMax);
  expect(told).not.toContain("end");
  await pass(clock, 4000);
  expect(told).toContain("end");
  await stop();
});
