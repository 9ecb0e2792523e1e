import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { defaultLimits } from "../../../core/limits.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { WatchedClock } from "../../../testing/watched-clock.ts";
import { inspectMail } from "./inspection.ts";
import { createInspector } from "./inspector.ts";

/** Inspection of the tests. */
const justLint = { kind: "lint", audit: null, problem: "none here" } as const;
const caller = { key: "one" };
const clock = new FakeClock();
const inspector = createInspector({ limits: defaultLimits, clock, tasks: unobservedTasks });
afterAll(() => inspector.close());

const mail = Buffer.from("From: a@b.example\r\nSubject: Hi\r\n\r\nhello https://a.example/x\r\n");
const loadMail = async (): Promise<Uint8Array> => mail;

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "answered",
    (error: unknown) => (error instanceof Problem ? error.code : "a fault"),
  );

test("executes concurrent inspections, each with its own result", async () => {
  const [spam, lint] = await Promise.all([
    inspector.inspect(loadMail, { kind: "spam", receivedAt: 0 }, caller),
    inspector.inspect(loadMail, justLint, caller),
  ]);
  expect(spam.rules.map(({ rule }) => rule)).toContain("MISSING_DATE");
  expect(lint.webLinks).toEqual(["https://a.example/x"]);
});

test("rejects only the inspection that takes longer than 20 s as unavailable", async () => {
  const watched = new WatchedClock(20_000);
  const own = createInspector({ limits: defaultLimits, clock: watched, tasks: unobservedTasks });
  const silent = { kind: "servers", servers: ["192.0.2.1"] } as const;
  const origin = { clientAddress: "127.0.0.1", ehlo: null, mailFrom: "a@b.example" };
  const stuck = codeOf(own.inspect(loadMail, { kind: "sender", origin, dns: silent, deadlineMs: 60_000 }, caller));
  await watched.asked;
  const innocent = own.inspect(loadMail, justLint, { key: "other" });
  watched.advance(20_000);
  expect(await stuck).toBe("unavailable");
  expect((await innocent).report.counts.error).toBeGreaterThan(0);
  await own.close();
});

test("rejects a key with 20 waiting inspections, and serves another key", async () => {
  const own = createInspector({ limits: defaultLimits, clock, tasks: unobservedTasks });
  const asked = Array.from({ length: 22 }, () => codeOf(own.inspect(loadMail, justLint, caller)));
  expect(await asked[21]).toBe("too_many_requests");
  expect(await codeOf(own.inspect(loadMail, justLint, { key: "other" }))).toBe("answered");
  expect(new Set(await Promise.all(asked.slice(0, 21)))).toEqual(new Set(["answered"]));
  await own.close();
});

test("loads the mail of an inspection when its turn comes, and rejects as the load does", async () => {
  const own = createInspector({ limits: defaultLimits, clock, tasks: unobservedTasks });
  let loadCount = 0;
  const load = async (): Promise<Uint8Array> => {
    loadCount += 1;
    return mail;
  };
  const first = own.inspect(load, justLint, caller);
  const others = [own.inspect(load, justLint, caller), own.inspect(load, justLint, caller)];
  await Promise.resolve();
  expect(loadCount).toBeLessThanOrEqual(1);
  await Promise.all([first, ...others]);
  expect(loadCount).toBe(3);
  const missing = own.inspect(async () => Promise.reject(new Problem("not_found")), justLint, caller);
  expect(await codeOf(missing)).toBe("not_found");
  expect(await codeOf(own.inspect(load, justLint, caller))).toBe("answered");
  await own.close();
});

test("rejects pending inspections when it is closed", async () => {
  const own = createInspector({ limits: defaultLimits, clock, tasks: unobservedTasks });
  const outcome = codeOf(own.inspect(loadMail, justLint, caller));
  await own.close();
  expect(await outcome).toBe("unavailable");
});

test.each(["<div style='", "<a href=x>", "<h1><h6>", "{{", "<style>a{", "</p>", "%AAAA", "<table><td>", "color:#ccc;"])(
  "hostile HTML of %s costs time linear in its size",
  async (piece) => {
    const costOf = async (sizeBytes: number): Promise<number> => {
      const html = piece.repeat(Math.floor(sizeBytes / piece.length));
      const raw = Buffer.from(`Content-Type: text/html\r\n\r\n${html}`);
      const { user } = process.threadCpuUsage();
      await inspectMail(raw, justLint, defaultLimits);
      await inspectMail(raw, { kind: "spam", receivedAt: 0 }, defaultLimits);
      return process.threadCpuUsage({ user, system: 0 }).user;
    };
    await costOf(100_000);
    const small = await costOf(100_000);
    // Linear growth is 8 times, quadratic growth 64 times.
    expect(await costOf(800_000)).toBeLessThan(32 * Math.max(small, 5000));
  },
);
