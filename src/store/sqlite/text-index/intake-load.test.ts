import { expect, it } from "vitest";
import { IntakeLoad } from "./intake-load.ts";

function setUp() {
  let now = 1000;
  const load = new IntakeLoad(() => now);
  return {
    load,
    wait: (durationMs: number) => {
      now += durationMs;
    },
    /** Stores a message that waits for its commit. */
    store: (waitingMs: number) => {
      load.waiting();
      now += waitingMs;
      load.stored(1);
    },
  };
}

it("is no flood at rest", () => {
  expect(setUp().load.isFlood).toBe(false);
});

it("is a flood at 20 messages in a tenth of a second, until none has come for two of them", () => {
  const { load, wait, store } = setUp();
  for (let count = 0; count < 20; count += 1) store(0);
  expect(load.isFlood).toBe(true);
  wait(150);
  expect(load.isFlood).toBe(true);
  wait(150);
  expect(load.isFlood).toBe(false);
});

it("is a flood where few messages wait for most of the time, as on a slow machine", () => {
  const { load, wait, store } = setUp();
  for (let count = 0; count < 20; count += 1) {
    store(30);
    wait(20);
  }
  expect(load.isFlood).toBe(true);
});

it("is a flood while one message waits, however long", () => {
  const { load, wait } = setUp();
  load.waiting();
  wait(5000);
  expect(load.isFlood).toBe(true);
  load.stored(1);
  wait(250);
  expect(load.isFlood).toBe(false);
});

it("is no flood where messages are stored at once, one at a time", () => {
  const { load, wait, store } = setUp();
  for (let count = 0; count < 20; count += 1) {
    store(1);
    wait(49);
  }
  expect(load.isFlood).toBe(false);
});

it("counts the time in which several messages wait together once", () => {
  const { load, wait } = setUp();
  for (let count = 0; count < 5; count += 1) load.waiting();
  wait(8);
  for (let count = 0; count < 5; count += 1) load.stored(1);
  wait(90);
  expect(load.isFlood).toBe(false);
});
