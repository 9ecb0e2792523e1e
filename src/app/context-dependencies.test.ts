import { expect, test } from "vitest";
import type { FaultHit } from "../core/fault.ts";
import type { ServerId } from "../core/ids.ts";
import { createFaultReporter } from "./context-dependencies.ts";

test("counts every hit, and logs the first of a rule and then one a minute with the number of the others", () => {
  let now = 0;
  const lines: unknown[] = [];
  const counted: unknown[] = [];
  const silent = (): void => undefined;
  const report = createFaultReporter({
    clock: { monotonicMs: () => now },
    log: { debug: silent, warn: silent, error: silent, info: (fields, message) => lines.push([message, fields]) },
    metrics: { faultHit: (labels) => counted.push(labels) },
  });
  const hit: FaultHit = { server: "abcd1234" as ServerId, rule: "a", stage: "rcpt", action: "reply" };
  for (let count = 0; count < 3; count += 1) report(hit);
  report({ ...hit, server: null });
  now = 60_000;
  report(hit);
  expect(lines).toEqual([
    ["fault rule applied", hit],
    ["fault rule applied", { ...hit, server: null }],
    ["fault rule applied", { ...hit, suppressedCount: 2 }],
  ]);
  const labels = { scope: "server", stage: "rcpt", action: "reply" };
  expect(counted).toEqual([labels, labels, labels, { ...labels, scope: "service" }, labels]);
});
