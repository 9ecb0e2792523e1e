import { afterAll, expect, test } from "vitest";
import { unobservedTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createBodyAnalyser, isCheapToAnalyse } from "./body-analyser.ts";
import type { BodyRequest } from "./email-bodies.ts";

const analyser = createBodyAnalyser({ clock: new FakeClock(), tasks: unobservedTasks });
afterAll(() => analyser.close());

function requestOf(text: string): BodyRequest {
  const raw = Buffer.from(text);
  const shared = { transferEncoding: "identity", charset: null, flow: "fixed" } as const;
  return { raw, places: { htmlParts: [], textParts: [{ bodyStart: 0, bodyEnd: raw.length, ...shared }] }, known: null };
}

const caller = { key: "one" };

test.each([
  ["16 KiB of words", "words ".repeat(2730), true],
  ["more than 16 KiB of words", "words ".repeat(2731), false],
  ["1000 digits", "word 1 ".repeat(1000), true],
  ["1001 digits", "word 1 ".repeat(1001), false],
])("analyses %s here: %s", (_name, text, isCheap) => {
  expect(isCheapToAnalyse(requestOf(text))).toBe(isCheap);
});

test("returns the same result on either thread", async () => {
  const code = "Your code is 804 219. https://a.example/x ";
  const small = await analyser.read(requestOf(code), caller);
  const large = await analyser.read(requestOf(code + "and many words ".repeat(2000)), caller);
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
