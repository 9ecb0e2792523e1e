import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import type { MemoryObserver } from "../core/process-resources.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { createResponseMemory } from "./response-memory.ts";

test("reports once when response memory is exhausted and once when it is available again", async () => {
  const clock = new FakeClock();
  const changes: unknown[] = [];
  const reads = new Map<string, () => number>();
  const memory: MemoryObserver = {
    watch: (kind, read) => void reads.set(kind, read),
    changed: (kind, isExhausted) => void changes.push([kind, isExhausted]),
  };
  const rooms = createResponseMemory({ ...defaultLimits, answerBytesInFlightMax: 100_000 }, clock, memory);
  const open = (key: string): ReturnType<typeof rooms> =>
    rooms({ key: () => key, signal: () => new AbortController().signal });
  const first = open("a");
  await first.reserve(90_000);
  expect(reads.get("http_responses")?.()).toBe(90_000);
  const rejected = [open("b"), open("c")].map((room) =>
    room.reserve(20_000).catch(({ code }: { code: string }) => code),
  );
  clock.advance(10_000);
  expect(await Promise.all(rejected)).toEqual(["unavailable", "unavailable"]);
  expect(changes).toEqual([["http_responses", true]]);
  first.release();
  expect(changes).toEqual([
    ["http_responses", true],
    ["http_responses", false],
  ]);
});
