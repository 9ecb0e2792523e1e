import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { MailBuffer } from "./mail-buffer.ts";
import { OctetReader } from "./input.ts";
import { Throttle, ThrottledReader } from "./throttle.ts";

/** Reads one chunk to its end and returns the bytes, the time that it took, and the number of pauses. */
function readAll(bytes: Buffer, bytesPerSecond: number) {
  const clock = new FakeClock();
  const content = new MailBuffer(1e6, new ByteBudget(1e6));
  const reader = new ThrottledReader(new OctetReader(bytes.length, content), new Throttle(bytesPerSecond, clock));
  let offset = 0;
  let pauseCount = 0;
  while (!reader.isComplete) {
    offset = reader.read(bytes, offset);
    if (reader.isComplete) break;
    pauseCount += 1;
    clock.advance(reader.pauseMs);
  }
  return { read: content.toBytes(), elapsedMs: clock.monotonicMs(), pauseCount };
}

describe("ThrottledReader", () => {
  test("reads every byte in order, not faster than the rate, with at most four pauses a second", () => {
    const rate = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000 }));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000 }), rate, (content, bytesPerSecond) => {
        const bytes = Buffer.from(content);
        const { read, elapsedMs, pauseCount } = readAll(bytes, bytesPerSecond);
        expect(read).toEqual(bytes);
        const exactMs = (bytes.length * 1000) / bytesPerSecond;
        expect(elapsedMs).toBeGreaterThanOrEqual(Math.floor(exactMs));
        expect(elapsedMs).toBeLessThanOrEqual(exactMs + Math.max(1000 / bytesPerSecond, 250) + pauseCount + 1);
        expect(pauseCount).toBeLessThanOrEqual(elapsedMs / 250 + 1);
      }),
      { numRuns: 300 },
    );
  });

  test("reads the rest at once when the limit is lifted", () => {
    const throttle = new Throttle(1, new FakeClock());
    const reader = new ThrottledReader(new OctetReader(100, null), throttle);
    expect(reader.read(Buffer.alloc(100), 0)).toBe(0);
    throttle.lift();
    expect(reader.read(Buffer.alloc(100), 0)).toBe(100);
    expect(reader.isComplete).toBe(true);
  });
});
