import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { lockIdleMsMax, MaildropLocks } from "./maildrop.ts";

const server = "abcd1234" as ServerId;

test("a maildrop is locked until it is released, or until its session is idle and another one wants it", () => {
  const clock = new FakeClock();
  const locks = new MaildropLocks(clock);
  const evicted: string[] = [];
  const first = locks.acquire(server, () => void evicted.push("first"));
  expect(locks.acquire(server, () => undefined)).toBeUndefined();
  expect(locks.acquire("other000" as ServerId, () => undefined)).toBeDefined();
  clock.advance(lockIdleMsMax);
  first?.touch();
  clock.advance(lockIdleMsMax);
  expect(locks.acquire(server, () => undefined)).toBeUndefined();
  clock.advance(1);
  const second = locks.acquire(server, () => void evicted.push("second"));
  expect(second).toBeDefined();
  expect(evicted).toEqual(["first"]);
  first?.release();
  expect(locks.acquire(server, () => undefined)).toBeUndefined();
  second?.release();
  expect(locks.acquire(server, () => undefined)).toBeDefined();
});
