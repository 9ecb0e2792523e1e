import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBackgroundTasks, unobservedTasks } from "../../core/background-tasks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { startBackgroundLoop } from "./background-loop.ts";

const unobserved = unobservedTasks.register("loop");

test("starts each round one pause after the end of the previous one", async () => {
  const clock = new FakeClock();
  const rounds: PromiseWithResolvers<void>[] = [];
  const round = (): Promise<void> => {
    const started = Promise.withResolvers<void>();
    rounds.push(started);
    return started.promise;
  };
  startBackgroundLoop(clock, { round, everyMs: 1000, task: unobserved });
  clock.advance(999);
  expect(rounds).toHaveLength(0);
  clock.advance(1);
  expect(rounds).toHaveLength(1);
  clock.advance(5000);
  expect(rounds).toHaveLength(1);
  rounds[0]?.resolve();
  await setImmediate();
  clock.advance(1000);
  expect(rounds).toHaveLength(2);
});

test("starts the next round after the pause that a round returns", async () => {
  const clock = new FakeClock();
  let count = 0;
  startBackgroundLoop(clock, {
    round: () => Promise.resolve(++count === 1 ? 5 : undefined),
    everyMs: 1000,
    task: unobserved,
  });
  clock.advance(1000);
  await setImmediate();
  clock.advance(5);
  await setImmediate();
  clock.advance(999);
  expect(count).toBe(2);
});

test("reports failed rounds, doubles the pause up to its bound, and recovers", async () => {
  const clock = new FakeClock();
  const tasks = createBackgroundTasks(clock, () => undefined);
  let isBroken = true;
  let count = 0;
  const round = (): Promise<void> => {
    count += 1;
    return isBroken ? Promise.reject(new Error(`round ${count}`)) : Promise.resolve();
  };
  startBackgroundLoop(clock, { round, everyMs: 10, retryMsMax: 40, task: tasks.register("loop") });
  for (const pauseMs of [10, 10, 20, 40, 40]) {
    clock.advance(pauseMs - 1);
    const before = count;
    clock.advance(1);
    await setImmediate();
    expect(count).toBe(before + 1);
  }
  expect(tasks.states()).toMatchObject([
    { state: "failing", failureCount: 5, lastFailure: { reason: "round 5", retryInMs: 40 } },
  ]);
  isBroken = false;
  clock.advance(40);
  await setImmediate();
  expect(tasks.states()).toMatchObject([{ state: "ok" }]);
  clock.advance(10);
  await setImmediate();
  expect(count).toBe(7);
});

test("stop waits for the current round and starts no other", async () => {
  const clock = new FakeClock();
  const started = Promise.withResolvers<void>();
  let stopped = false;
  let count = 0;
  const round = (): Promise<void> => {
    count += 1;
    return started.promise;
  };
  const stop = startBackgroundLoop(clock, { round, everyMs: 10, task: unobserved });
  clock.advance(10);
  const stopping = (async () => {
    await stop();
    stopped = true;
  })();
  await setImmediate();
  expect(stopped).toBe(false);
  started.resolve();
  await stopping;
  clock.advance(1000);
  expect([count, clock.appointmentCount]).toEqual([1, 0]);
});
