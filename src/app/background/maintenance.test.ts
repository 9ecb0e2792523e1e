import { expect, test } from "vitest";
import { createBackgroundTasks, unobservedTasks } from "../../core/background-tasks.ts";
import type { NodeStore } from "../../store/node-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Assembly } from "../assemble.ts";
import { idleRuleMs, silenceMsMax, startHeartbeat, startIdleServerRule } from "./maintenance.ts";

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

test("removes idle servers every ten minutes where the setting asks for it, and logs and counts them", async () => {
  await using api = await openHttpTestServer();
  const logged: unknown[] = [];
  let removed = 0;
  const silent = (): void => undefined;
  const log = { debug: silent, info: (fields: unknown) => void logged.push(fields), warn: silent, error: silent };
  const tasks = createBackgroundTasks(api.clock, silent);
  const metrics = { serverRemoved: () => (removed += 1) } as unknown as Assembly["metrics"];
  const start = (idleServerDays: number | null) => {
    const context = { ...api.context, settings: { ...api.context.settings, idleServerDays } };
    return startIdleServerRule({ context, metrics }, { nodes: null, log, tasks });
  };
  await start(null)();
  expect(tasks.states()).toEqual([]);
  await api.addServer("catch-all");
  api.clock.advance(1);
  const idle = await api.addServer("idle");
  api.clock.advance(2 * 86_400_000);
  const stop = start(1);
  expect(tasks.states()).toMatchObject([{ task: "idle_servers" }]);
  api.clock.advance(idleRuleMs);
  await stop();
  expect([logged, removed]).toEqual([[{ server: idle.id, idleDays: 2 }], 1]);
});
