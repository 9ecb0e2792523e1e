import { expect, test } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { NodeStore } from "../../store/node-store.ts";
import { silenceMsMax, startHeartbeat } from "./maintenance.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Store that records heartbeats, and that can become unreachable. */
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
    notify: () => undefined,
    onNotification: () => undefined,
    readSequences: () => Promise.resolve(new Map()),
    readEvents: () => Promise.resolve([]),
    sendHeartbeat: () => reached("alive", undefined),
    hold: () => reached("hold", state.holds),
    release: () => Promise.resolve(),
    releaseLeasesOfDeadNodes: () => reached("end", 1),
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

test("records heartbeats at once and periodically, and releases leases of dead nodes after watching for a while", async () => {
  const { clock, told, nodes } = setUp();
  let wakes = 0;
  const stop = await startHeartbeat(nodes, {
    clock,
    log: silent,
    tasks: unobservedTasks,
    wakeWorkers: () => (wakes += 1),
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

test("releases no leases without holding the lease `watch`", async () => {
  const { clock, told, state, nodes } = setUp();
  state.holds = false;
  const stop = await startHeartbeat(nodes, {
    clock,
    log: silent,
    tasks: unobservedTasks,
    wakeWorkers: () => undefined,
  });
  await pass(clock, 60_000);
  expect(told).not.toContain("end");
  await stop();
});

test("releases no leases after an outage until all nodes had time to record a heartbeat", async () => {
  const { clock, told, state, nodes } = setUp();
  const stop = await startHeartbeat(nodes, {
    clock,
    log: silent,
    tasks: unobservedTasks,
    wakeWorkers: () => undefined,
  });
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
