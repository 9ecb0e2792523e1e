import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { startChore } from "./background.ts";

test("a chore comes back after each pause, counted from the end of its last round", async () => {
  const clock = new FakeClock();
  const rounds: PromiseWithResolvers<void>[] = [];
  const action = (): Promise<void> => {
    const round = Promise.withResolvers<void>();
    rounds.push(round);
    return round.promise;
  };
  startChore(clock, { action, everyMs: 1000, onFault: () => undefined });
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

test("a chore that fails is reported and tried again", async () => {
  const clock = new FakeClock();
  const faults: unknown[] = [];
  const action = (): Promise<void> => Promise.reject(new Error(`round ${faults.length}`));
  startChore(clock, { action, everyMs: 10, onFault: (error) => faults.push(error) });
  for (let round = 0; round < 2; round += 1) {
    clock.advance(10);
    await setImmediate();
  }
  expect(faults).toEqual([new Error("round 0"), new Error("round 1")]);
});

test("stopping a chore waits for its round, and no other follows", async () => {
  const clock = new FakeClock();
  const round = Promise.withResolvers<void>();
  let stopped = false;
  let count = 0;
  const action = (): Promise<void> => {
    count += 1;
    return round.promise;
  };
  const stop = startChore(clock, { action, everyMs: 10, onFault: () => undefined });
  clock.advance(10);
  const stopping = (async () => {
    await stop();
    stopped = true;
  })();
  await setImmediate();
  expect(stopped).toBe(false);
  round.resolve();
  await stopping;
  clock.advance(1000);
  expect([count, clock.appointmentCount]).toEqual([1, 0]);
});
