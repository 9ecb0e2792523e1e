import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { megabytes, ProgressBar, whole } from "./progress-bar.ts";

function shown(errorColumns: number | undefined, isQuiet: boolean, total = 100) {
  const clock = new FakeClock(0);
  let text = "";
  const bar = new ProgressBar({ error: (one) => (text += one), errorColumns, clock }, isQuiet);
  if (total > 0) bar.expect(total);
  for (let done = 0; done < 50; done += 1) {
    clock.advance(1000);
    bar.advance({ done: 1, messages: 2, bytes: 1_000_000 });
  }
  const pace = bar.end();
  return { text, pace };
}

test("redraws a bar within the width of a terminal, and removes it at the end", () => {
  const { text, pace } = shown(80, false);
  const drawn = text.split("\r").slice(1);
  const last = "[############............]  50 %  100 messages, 50.0 MB, 2 a second  50 s left";
  expect(drawn.at(-2)).toBe(`${last}\u001b[K`);
  expect(drawn.at(-1)).toBe("\u001b[K");
  for (const line of drawn) expect(line.replace("\u001b[K", "").length).toBeLessThan(80);
  expect(pace).toEqual({ messages: 100, bytes: 50_000_000, seconds: 50 });
});

test("writes a line every ten seconds when standard error is not a terminal", () => {
  const { text } = shown(undefined, false);
  expect(text.split("\n")).toHaveLength(6);
  expect(text).toContain("10 %, 20 messages, 10.0 MB, 2 a second, 90 s left\n");
});

test("shows no percentage and no remaining time without a known total", () => {
  const { text } = shown(undefined, false, 0);
  expect(text.split("\n")[0]).toBe("20 messages, 10.0 MB, 2 a second");
  const narrow = shown(20, false, 0).text.split("\r").at(-2);
  expect(narrow).toBe("100 messages, 50.0 \u001b[K");
});

test("writes nothing when quiet", () => {
  expect(shown(80, true).text).toBe("");
  expect(shown(undefined, true).text).toBe("");
});

test("estimates the remaining time without work of a previous attempt", () => {
  const clock = new FakeClock(0);
  let text = "";
  const bar = new ProgressBar({ error: (one) => (text += one), errorColumns: undefined, clock }, false);
  bar.expect(1000);
  bar.advance({ done: 900 });
  clock.advance(10_000);
  bar.advance({ done: 1, messages: 1 });
  clock.advance(10_000);
  bar.advance({ done: 19, messages: 19 });
  expect(text.split("\n")[1]).toBe("92 %, 20 messages, 0.0 MB, 1 a second, 80 s left");
});

test("formats numbers and sizes", () => {
  expect([whole(1_234_567.5), megabytes(123_456_789)]).toEqual(["1,234,568", "123.5 MB"]);
});
