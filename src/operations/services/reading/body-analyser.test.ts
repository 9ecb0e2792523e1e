import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createBodyAnalyser } from "./body-analyser.ts";
import type { BodyRequest } from "./email-bodies.ts";
import { cheapCodeCandidateMax } from "./reading-cost.ts";

const analyser = createBodyAnalyser({ clock: new FakeClock(), tasks: unobservedTasks });
afterAll(() => analyser.close());

function requestOf(text: string): BodyRequest {
  const raw = Buffer.from(text);
  const shared = { transferEncoding: "identity", charset: null, flow: "fixed" } as const;
  return { raw, places: { htmlParts: [], textParts: [{ bodyStart: 0, bodyEnd: raw.length, ...shared }] }, known: null };
}

const caller = { key: "one" };

test.each([
  ["64 KiB of words", "words ".repeat(10_922), false],
  ["more than 64 KiB of words", "words ".repeat(10_923), true],
  ["as many numbers as are cheap", "word 482913 ".repeat(cheapCodeCandidateMax), false],
  ["one number more", "word 482913 ".repeat(cheapCodeCandidateMax + 1), true],
])("analyses %s in a worker process: %s", async (_name, text, isApart) => {
  const analysed = analyser.read(requestOf(text), caller);
  // A result of the calling thread is there after the pending promises.
  const next = new Promise((resolve) => setImmediate(resolve, "apart"));
  const where = await Promise.race([analysed.then(() => "here"), next]);
  expect(where === "apart").toBe(isApart);
  await analysed;
});

test("returns the same result on either thread", async () => {
  const code = "Your code is 804 219. https://a.example/x ";
  const small = await analyser.read(requestOf(code), caller);
  const large = await analyser.read(requestOf(code + "and many words ".repeat(5000)), caller);
  expect(large.text.codes).toEqual(small.text.codes);
  expect(large.text.links).toEqual(small.text.links);
  expect(small.text.codes).toEqual([{ value: "804219" }]);
});

test("does not block the caller's thread while it analyses a flood of digits", async () => {
  let turns = 0;
  const state = { isDone: false };
  const analysed = analyser.read(requestOf("0123456789 ".repeat(5000)), caller).finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await analysed;
  expect(turns).toBeGreaterThan(10);
});
