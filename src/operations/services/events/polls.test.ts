import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createPolls } from "./polls.ts";

describe("polls", () => {
  test("are searches repeated within three seconds of an empty result", () => {
    const clock = new FakeClock();
    const polls = createPolls(clock);
    expect(polls.isRepeat("search")).toBe(false);
    polls.noteEmpty("search");
    expect(polls.isRepeat("search")).toBe(true);
    expect(polls.isRepeat("another")).toBe(false);
    clock.advance(3000);
    expect(polls.isRepeat("search")).toBe(true);
    clock.advance(1);
    expect(polls.isRepeat("search")).toBe(false);
  });

  test.each([-7_200_000, 3_600_000])("are recognised by elapsed time when the wall clock steps by %d ms", (step) => {
    const clock = new FakeClock();
    const polls = createPolls(clock);
    polls.noteEmpty("a");
    clock.stepWall(step);
    expect(polls.isRepeat("a")).toBe(true);
    clock.advance(3001);
    expect(polls.isRepeat("a")).toBe(false);
  });

  test("are limited in number, and the oldest is evicted first", () => {
    const polls = createPolls(new FakeClock());
    for (let number = 0; number <= 20_000; number += 1) polls.noteEmpty(String(number));
    expect(polls.isRepeat("0")).toBe(false);
    expect(polls.isRepeat("1")).toBe(true);
    expect(polls.isRepeat("20000")).toBe(true);
  });
});
