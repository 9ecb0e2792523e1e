import { beforeEach, describe, expect, test } from "vitest";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { createTimings, timedMailCountMax, timedServerCountMax, type Timings } from "./timings.ts";

const server = "abcd1234" as ServerId;
const id = (sequence: number): MessageId => `id ${String(sequence)}` as MessageId;
let now: number;
let observed: string[];
let timings: Timings;
beforeEach(() => {
  now = 1000;
  observed = [];
  timings = createTimings(
    (step, ms) => observed.push(`${step} ${String(ms)}`),
    () => now,
  );
});
const store = (sequence: number, of: ServerId = server): void => {
  timings.stored({ id: id(sequence), server: of, sequence, wholeAt: now - 5 });
};

describe("timings of a mail", () => {
  test("each step is measured: to the commit, and from there to the first waiter", () => {
    store(1);
    expect(timings.newest(server)).toEqual([{ id: id(1), storedMs: 5, toldMs: null }]);
    now += 2;
    timings.notified(server, 1);
    expect(timings.newest(server)).toEqual([{ id: id(1), storedMs: 5, toldMs: 2 }]);
    expect(observed).toEqual(["stored 5", "told 2"]);
  });

  test("records only the first waiter", () => {
    store(1);
    for (let times = 0; times < 2; times += 1) {
      now += 1;
      timings.notified(server, 1);
    }
    expect(observed).toEqual(["stored 5", "told 1"]);
  });

  test("the notification of another change does not count", () => {
    store(1);
    timings.notified(server, 2);
    expect(observed).toEqual(["stored 5"]);
  });
});

test("records the newest mails of the servers with the newest mail, up to the limits", () => {
  for (let sequence = 1; sequence <= timedMailCountMax + 1; sequence += 1) store(sequence);
  expect(timings.newest(server)).toHaveLength(timedMailCountMax);
  expect(timings.newest(server)[0]?.id).toBe(id(2));
  const other = (number: number): ServerId => `server ${String(number)}` as ServerId;
  for (let number = 1; number < timedServerCountMax; number += 1) store(1, other(number));
  expect(timings.newest(server)).toHaveLength(timedMailCountMax);
  store(1, other(0));
  expect(timings.newest(server)).toEqual([]);
});

test("returns nothing for servers without mail", () => {
  timings.notified(server, 1);
  expect([timings.newest(server), observed]).toEqual([[], []]);
});
