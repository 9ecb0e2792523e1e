import { beforeEach, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { OpenLog } from "./log.ts";
import { throttledLog } from "./throttled-log.ts";

let now: number;
let lines: unknown[];
let log: OpenLog;
beforeEach(() => {
  now = 1_000_000;
  lines = [];
  const write = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    lines.push([message, fields["suppressedCount"] ?? 0]);
  };
  const sink = { debug: write, info: write, warn: write, error: write, flush: () => undefined };
  log = throttledLog(sink, { monotonicMs: () => now });
});

const away = (): Problem => new Problem("unavailable", { cause: new Error("nobody answers") });

test("writes one of many errors per minute with the number of suppressed ones", () => {
  for (let count = 0; count < 5000; count += 1) {
    log.error({ err: away() }, "request failed");
    now += 10;
  }
  expect(lines).toEqual([["request failed", 0]]);
  now += 10_000;
  log.error({ err: away() }, "request failed");
  expect(lines.slice(1)).toEqual([["request failed", 4999]]);
  now += 60_000;
  log.error({ err: away() }, "the outbox could not be read");
  expect(lines.slice(2)).toEqual([["the outbox could not be read", 0]]);
});

test("counts each error code separately", () => {
  log.error({ err: away() }, "away");
  log.error({ err: new Problem("storage_full") }, "full");
  log.error({ err: new Problem("storage_full") }, "full");
  expect(lines).toEqual([
    ["away", 0],
    ["full", 0],
  ]);
});

test("writes one line of an exhausted listener, whatever it reports", () => {
  for (const code of ["EMFILE", "EMFILE", "ENFILE"]) {
    log.error({ err: Object.assign(new Error(`accept ${code}`), { code }) }, "The SMTP listener failed");
  }
  now += 60_000;
  log.error({ err: Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" }) }, "worker failed");
  expect(lines).toEqual([
    ["The SMTP listener failed", 0],
    ["worker failed", 2],
  ]);
});

test("writes every other error and all other levels each time", () => {
  for (let count = 0; count < 3; count += 1) {
    log.error({ err: new Error("an internal error") }, "request failed");
    log.error({}, "no error at all");
    log.warn({ err: away() }, "a warning");
  }
  expect(lines).toHaveLength(9);
});

test("writes requests that exceed a quota as information, because they concern the owner of the server", () => {
  const levels: string[] = [];
  const at = (level: string) => (): void => void levels.push(level);
  const sink = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), flush: () => undefined };
  const leveled = throttledLog(sink, { monotonicMs: () => now });
  leveled.error({ err: new Problem("quota_exceeded") }, "request failed");
  leveled.error({ err: new Problem("storage_full") }, "request failed");
  expect(levels).toEqual(["info", "error"]);
});
