import { afterAll, expect, test } from "vitest";
import { Problem } from "../core/errors.ts";
import { defaultLimits } from "../core/limits.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { createInspector } from "./inspector.ts";

/** What is asked of the inspector. */
const justLint = { kind: "lint", audit: null, problem: "none here" } as const;
const clock = new FakeClock();
const inspector = createInspector(defaultLimits, clock);
afterAll(() => inspector.close());

const mail = Buffer.from("From: a@b.example\r\nSubject: Hi\r\n\r\nhello https://a.example/x\r\n");

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "answered",
    (error: unknown) => (error instanceof Problem ? error.code : "a fault"),
  );

test("several inspections go on side by side and each gets its own answer", async () => {
  const [spam, lint] = await Promise.all([
    inspector.inspect(mail, { kind: "spam", receivedAt: 0 }),
    inspector.inspect(mail, justLint),
  ]);
  expect(spam.rules.map(({ rule }) => rule)).toContain("MISSING_DATE");
  expect(lint.webLinks).toEqual(["https://a.example/x"]);
});

test("one that takes longer than 20 s is given up as unavailable, and the next one works", async () => {
  const silent = { kind: "servers", servers: ["192.0.2.1"] } as const;
  const origin = { clientAddress: "127.0.0.1", ehlo: null, mailFrom: "a@b.example" };
  const stuck = inspector.inspect(mail, { kind: "sender", origin, dns: silent, deadlineMs: 60_000 });
  const outcome = codeOf(stuck);
  clock.advance(20_000);
  expect(await outcome).toBe("unavailable");
  expect((await inspector.inspect(mail, justLint)).report.counts.error).toBeGreaterThan(0);
});

test("a closed one has answered everybody", async () => {
  const own = createInspector(defaultLimits, clock);
  const outcome = codeOf(own.inspect(mail, justLint));
  await own.close();
  expect(await outcome).toBe("unavailable");
});

test("a megabyte of hostile HTML is looked into within seconds", async () => {
  const pieces = [
    "<div style='",
    "<a href=x>",
    "<h1><h6>",
    "{{",
    "<style>a{",
    "</p>",
    "%AAAA",
    "<table><td>",
    "color:#ccc;",
  ];
  for (const piece of pieces) {
    const html = piece.repeat(Math.floor(1_000_000 / piece.length));
    const raw = Buffer.from(`Content-Type: text/html\r\n\r\n${html}`);
    const startedAt = performance.now();
    await inspector.inspect(raw, justLint);
    await inspector.inspect(raw, { kind: "spam", receivedAt: 0 });
    expect([piece, performance.now() - startedAt < 8000]).toEqual([piece, true]);
  }
}, 60_000);
