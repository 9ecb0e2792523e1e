import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Journey, JourneyOrder, JourneyStep } from "../../core/journey.ts";
import type { Summary } from "../../core/message.ts";
import { matchJourney, type JourneyMatch } from "./match-journey.ts";

const start = Date.UTC(2026, 10, 22);
/** Message with an id that sorts by `order` and an instant of receipt in milliseconds after the start. */
const mail = (order: number, atMs: number): Summary =>
  ({ id: String(order).padStart(4, "0"), received: new Date(start + atMs).toISOString() }) as unknown as Summary;
const expects = (count = 1): JourneyStep => {
  return { name: null, direction: "Received", criteria: null, count, quietMs: 0 };
};
const quiet = (quietMs: number): JourneyStep => ({ ...expects(0), quietMs });

interface Comparison {
  readonly order?: JourneyOrder;
  readonly matches: readonly (readonly Summary[])[];
  readonly nowMs?: number;
}

function compare(
  steps: readonly JourneyStep[],
  { order = "given", matches, nowMs: elapsedMs = 0 }: Comparison,
): JourneyMatch {
  const journey: Journey = { order, steps };
  return matchJourney(journey, { matches, since: start, now: start + elapsedMs, elapsedMs, timeoutMs: 1000 });
}

const [first, second, third] = [mail(1, 100), mail(2, 200), mail(3, 300)];

describe("a journey in the given order", () => {
  test("gives each step the earliest messages after those of the step before", () => {
    const found = compare([expects(), expects(2)], {
      matches: [
        [first, second],
        [first, second, third],
      ],
    });
    expect(found).toEqual({ messages: [[first], [second, third]], failed: [], changesAfterMs: null });
  });

  test("waits for a message until the time-out, then reports the matches that came too early", () => {
    const matches = [[second], [first]];
    expect(compare([expects(), expects()], { matches, nowMs: 300 }).changesAfterMs).toBe(700);
    expect(compare([expects(), expects()], { matches, nowMs: 1000 })).toEqual({
      messages: [[second], []],
      failed: [{ step: 1, reason: "missing", messages: [first] }],
      changesAfterMs: null,
    });
  });

  test("expects quiet from the message before", () => {
    const steps = [expects(), quiet(500)];
    expect(compare(steps, { matches: [[first], [first]], nowMs: 600 }).changesAfterMs).toBe(1);
    expect(compare(steps, { matches: [[first], [first]], nowMs: 601 }).failed).toEqual([]);
    expect(compare(steps, { matches: [[first], [first, mail(4, 600)]], nowMs: 601 }).failed).toMatchObject([
      { step: 1, reason: "unexpected", messages: [{ id: "0004" }] },
    ]);
    expect(compare(steps, { matches: [[first], [first, mail(4, 601)]], nowMs: 601 }).failed).toEqual([]);
  });

  test("expects quiet from its start when no message comes before", () => {
    expect(compare([quiet(500)], { matches: [[mail(0, -1)]], nowMs: 400 }).changesAfterMs).toBe(101);
    expect(compare([quiet(500)], { matches: [[first]], nowMs: 400 }).failed).toHaveLength(1);
  });

  test("expects messages after a quiet time later, and adds that time to the time-out", () => {
    const steps = [expects(), quiet(500), expects()];
    const pending = compare(steps, { matches: [[first], [first], [first, mail(4, 601)]], nowMs: 700 });
    expect(pending.messages[2]).toMatchObject([{ id: "0004" }]);
    const missing = { matches: [[first], [first], [first]] };
    expect(compare(steps, { ...missing, nowMs: 1499 }).changesAfterMs).toBe(1);
    expect(compare(steps, { ...missing, nowMs: 1500 }).failed).toHaveLength(1);
  });
});

describe("a journey in any order", () => {
  test("meets as many steps as possible", () => {
    const found = compare([expects(), expects()], { order: "any", matches: [[first, second], [first]] });
    expect(found).toEqual({ messages: [[second], [first]], failed: [], changesAfterMs: null });
  });

  test("reports every step that lacks messages when the time is over", () => {
    const comparison: Comparison = { order: "any", matches: [[first], [], [first]] };
    const steps = [expects(2), expects(), quiet(100)];
    expect(compare(steps, { ...comparison, nowMs: 400 }).changesAfterMs).toBe(600);
    expect(compare(steps, { ...comparison, nowMs: 1000 }).failed).toMatchObject([{ step: 0 }, { step: 1 }]);
  });

  test("reports a message that no step expects, at once", () => {
    const matches = [[first], [first, second]];
    expect(compare([expects(), quiet(100)], { order: "any", matches }).failed).toEqual([
      { step: 1, reason: "unexpected", messages: [second] },
    ]);
    expect(compare([expects(), quiet(99)], { order: "any", matches, nowMs: 300 }).failed).toEqual([]);
  });

  test("ignores messages that came before its start and before its messages", () => {
    const matches = [[first], [mail(0, -1), first]];
    expect(compare([expects(), quiet(99)], { order: "any", matches, nowMs: 300 }).failed).toEqual([]);
  });

  test("finds the largest assignment for any steps and matches", () => {
    const mails = Array.from({ length: 5 }, (_, order) => mail(order, order));
    const step = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.subarray(mails));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 3 }), (steps) => {
        const matches = steps.map(([, found]) => found);
        const found = compare(
          steps.map(([count]) => expects(count)),
          { order: "any", matches },
        );
        const slots = steps.flatMap(([count], position) => Array.from({ length: count }, () => position));
        const ids = found.messages.flat().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [position, own] of found.messages.entries()) {
          expect(own.length).toBeLessThanOrEqual(steps[position]?.[0] ?? 0);
          for (const one of own) expect(matches[position]).toContain(one);
        }
        expect(ids.length).toBe(largest(slots, matches, new Set()));
      }),
    );
  });
});

/** Size of the largest assignment, by trying all of them. */
function largest(
  slots: readonly number[],
  matches: readonly (readonly Summary[])[],
  used: ReadonlySet<string>,
): number {
  const [slot, ...rest] = slots;
  if (slot === undefined) return 0;
  const free = (matches[slot] ?? []).filter(({ id }) => !used.has(id));
  const taken = free.map(({ id }) => 1 + largest(rest, matches, new Set([...used, id])));
  return Math.max(largest(rest, matches, used), ...taken);
}
