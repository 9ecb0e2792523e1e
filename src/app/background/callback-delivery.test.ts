import { beforeEach, expect, test } from "vitest";
import type { CallbackReport } from "../../egress/callbacks/delivery-queue.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { createCallbackLog } from "./callback-delivery.ts";

let now: number;
let warnings: unknown[];
let debugCount: number;
let logAttempt: (report: CallbackReport) => void;
beforeEach(() => {
  now = 1_000_000;
  warnings = [];
  debugCount = 0;
  const log = {
    debug: () => (debugCount += 1),
    info: () => undefined,
    warn: (fields: Readonly<Record<string, unknown>>, message: string) =>
      warnings.push([message, fields["target"], fields["status"], fields["suppressedCount"] ?? 0]),
    error: () => undefined,
  };
  logAttempt = createCallbackLog(log, { monotonicMs: () => now });
});

function report(target: string, status: "Pending" | "Failed" | "Delivered"): CallbackReport {
  const error = status === "Delivered" ? null : "The webhook responded with status 500";
  const attempt = { number: 1, startedAt: 0, durationMs: 1, url: "", requestHeaders: {}, responseStatus: 500, error };
  return {
    delivery: {
      id: "delivery",
      number: 1,
      server: "abcd1234" as ServerId,
      target,
      queue: target,
      message: null as MessageId | null,
      deliversMessage: false,
      type: "message.received",
      content: null,
      attemptsMax: null,
      dueAt: 0,
      createdAt: 0,
      status: "Pending",
      attemptCount: 1,
      scheduleStep: 1,
      attempts: [],
      nextAttemptAt: 0,
    },
    outcome: { id: "delivery", lease: "lease", status, dueAt: null, attempt },
    sequence: null,
  };
}

test("writes the first failure of a receiver, and then one a minute with the number of the others", () => {
  for (let count = 0; count < 5000; count += 1) {
    logAttempt(report("a", "Pending"));
    logAttempt(report("a", "Delivered"));
    now += 10;
  }
  expect(warnings).toEqual([["callback failed", "a", "Pending", 0]]);
  expect(debugCount).toBe(9999);
  now += 10_000;
  logAttempt(report("a", "Pending"));
  expect(warnings.slice(1)).toEqual([["callback failed", "a", "Pending", 4999]]);
});

test("counts each receiver, and permanent failures, separately", () => {
  for (const target of ["a", "b", "a", "b"]) logAttempt(report(target, "Pending"));
  logAttempt(report("a", "Failed"));
  expect(warnings).toEqual([
    ["callback failed", "a", "Pending", 0],
    ["callback failed", "b", "Pending", 0],
    ["callback failed", "a", "Failed", 0],
  ]);
});

test("writes again about a receiver that was forgotten among thousands of others", () => {
  logAttempt(report("a", "Pending"));
  for (let count = 0; count < 2000; count += 1) logAttempt(report(`other ${String(count)}`, "Pending"));
  logAttempt(report("a", "Pending"));
  expect(warnings).toHaveLength(2002);
});

test("writes a line about a target that was disabled because it has failed for days", () => {
  const lines: unknown[] = [];
  const none = (): void => undefined;
  const warn = (fields: object, text: string): void => void lines.push([text, fields]);
  const write = createCallbackLog({ debug: none, info: none, warn, error: none }, { monotonicMs: () => now });
  const reason = "All requests since 2026-11-20T10:42Z have failed";
  write({ ...report("a", "Failed"), disabled: reason });
  expect(lines.at(-1)).toEqual(["target of callbacks disabled", { server: "abcd1234", target: "a", reason }]);
});
