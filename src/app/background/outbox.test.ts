import { expect, test } from "vitest";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import type { AttemptReport } from "../../egress/outbox/outbox-queue.ts";
import { createOutboxLog } from "./outbox.ts";

const entry = {
  id: "entry",
  message: null,
  route: "relay",
  mailFrom: "from@app.example",
  rcptTo: ["to@outside.example"],
  content: null,
  attempts: 1,
  at: 0,
} as const;

function report(status: AttemptReport["status"], replyCode: number | null): AttemptReport {
  const evidence = { stage: replyCode === null ? "connect" : "recipient", replyCode, isLocalRefusal: false } as const;
  const failure = status === "Sent" ? null : new DeliveryFailure("<to@outside.example>: no such user", evidence);
  return { entry, status, failure, sequence: null };
}

function open(): {
  readonly logAttempt: (report: AttemptReport) => void;
  readonly warnings: readonly unknown[];
  readonly debugCount: () => number;
  readonly advance: (ms: number) => void;
} {
  const warnings: unknown[] = [];
  let debugCount = 0;
  let now = 1_000_000;
  const log = {
    debug: () => (debugCount += 1),
    info: () => undefined,
    warn: (fields: object, text: string) => warnings.push([text, fields]),
    error: () => undefined,
  };
  return {
    logAttempt: createOutboxLog(log, { monotonicMs: () => now }),
    warnings,
    debugCount: () => debugCount,
    advance: (ms) => {
      now += ms;
    },
  };
}

test("writes the first failure, and then one a minute with the number of the others", () => {
  const { logAttempt, warnings, debugCount, advance } = open();
  for (let count = 0; count < 3000; count += 1) {
    logAttempt(report("Queued", null));
    logAttempt(report("Sent", null));
  }
  advance(60_000);
  logAttempt(report("Queued", null));
  const fields = { entry: "entry", route: "relay", status: "Queued", attempts: 1, stage: "connect", replyCode: null };
  const reason = "<to@outside.example>: no such user";
  expect(warnings).toEqual([
    ["outbox delivery failed", { ...fields, reason }],
    ["outbox delivery failed", { ...fields, reason, suppressedCount: 2999 }],
  ]);
  expect(debugCount()).toBe(5999);
});

test("writes failures with another status or reply code each, without the text of replies to the mail", () => {
  const { logAttempt, warnings } = open();
  for (const one of [report("Queued", 450), report("Failed", 550), report("Failed", 552), report("Failed", 550)]) {
    logAttempt(one);
  }
  expect(warnings).toMatchObject([
    ["outbox delivery failed", { status: "Queued", replyCode: 450 }],
    ["outbox delivery failed", { status: "Failed", replyCode: 550 }],
    ["outbox delivery failed", { status: "Failed", replyCode: 552 }],
  ]);
  expect(JSON.stringify(warnings)).not.toContain("outside.example");
});
