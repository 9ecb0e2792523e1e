import { expect, test, describe } from "vitest";
import { ByteBudget, ByteReservations, type Reservation } from "./byte-budget.ts";
import { FakeClock } from "../testing/fake-clock.ts";

test("takes bytes up to the limit and not one more, and again after they are returned", () => {
  const budget = new ByteBudget(10);
  expect(budget.take(4)).toBe(true);
  expect(budget.take(7)).toBe(false);
  expect(budget.take(6)).toBe(true);
  expect(budget.take(1)).toBe(false);
  budget.give(4);
  expect(budget.bytesUsed).toBe(6);
  expect(budget.take(4)).toBe(true);
});

test("a hold returns all its bytes once", () => {
  const budget = new ByteBudget(10);
  const [one, other] = [budget.hold(), budget.hold()];
  expect([one.take(4), one.take(3), other.take(4), other.take(3)]).toEqual([true, true, false, true]);
  one.release();
  one.release();
  expect(budget.bytesUsed).toBe(3);
  expect(other.take(7)).toBe(true);
  other.release();
  expect(budget.bytesUsed).toBe(0);
});

test("holds of one key take its share together, and leave the rest to others", () => {
  const budget = new ByteBudget(10, () => undefined, 6);
  const [one, same, other] = [budget.hold("a"), budget.hold("a"), budget.hold("b")];
  expect([one.take(4), same.take(3), same.take(2), one.take(1)]).toEqual([true, false, true, false]);
  expect([other.take(5), other.take(4)]).toEqual([false, true]);
  one.release();
  expect([same.take(5), same.take(4)]).toEqual([false, true]);
  same.release();
  other.release();
  expect(budget.bytesUsed).toBe(0);
});

test("reports exhaustion once, and recovery once half is free", () => {
  const seen: boolean[] = [];
  const budget = new ByteBudget(10, (isExhausted) => seen.push(isExhausted));
  budget.take(10);
  for (let count = 0; count < 3; count += 1) expect(budget.take(1)).toBe(false);
  budget.give(4);
  expect(seen).toEqual([true]);
  budget.give(1);
  budget.give(5);
  expect(seen).toEqual([true, false]);
});

const limits = { bytesMax: 100, bytesPerKeyMax: 50, waitingPerKeyCountMax: 2 };

function tracked(promise: Promise<Reservation>): { reservation: Reservation | undefined; code: string | undefined } {
  const state: ReturnType<typeof tracked> = { reservation: undefined, code: undefined };
  promise.then(
    (reservation) => (state.reservation = reservation),
    (error: { code?: string }) => (state.code = error.code ?? "aborted"),
  );
  return state;
}

const settled = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("ByteReservations", () => {
  test("grants up to the budget and lets the next wait until bytes are released", async () => {
    const budget = new ByteReservations(limits, new FakeClock());
    const first = await budget.reserve({ key: "a", bytes: 50 });
    await budget.reserve({ key: "b", bytes: 50 });
    const waiting = tracked(budget.reserve({ key: "c", bytes: 1 }));
    await settled();
    expect([waiting.reservation, budget.waitingCount, budget.bytesReserved]).toEqual([undefined, 1, 100]);
    first.release();
    first.release();
    await settled();
    expect([waiting.reservation === undefined, budget.bytesReserved]).toEqual([false, 51]);
  });

  test("skips a key that holds its share", async () => {
    const budget = new ByteReservations(limits, new FakeClock());
    await budget.reserve({ key: "greedy", bytes: 50 });
    const greedy = tracked(budget.reserve({ key: "greedy", bytes: 1 }));
    const other = tracked(budget.reserve({ key: "other", bytes: 40 }));
    await settled();
    expect([greedy.reservation === undefined, other.reservation === undefined]).toEqual([true, false]);
  });

  test("grants a single reservation larger than the budget when nothing else is reserved", async () => {
    const budget = new ByteReservations(limits, new FakeClock());
    const large = await budget.reserve({ key: "a", bytes: 1000 });
    const next = tracked(budget.reserve({ key: "b", bytes: 1 }));
    await settled();
    expect(next.reservation).toBeUndefined();
    large.resize(99);
    await settled();
    expect(next.reservation).toBeDefined();
  });

  test("rejects with too_many_requests when the key holds its share, with unavailable when the budget is exhausted", async () => {
    const clock = new FakeClock();
    const budget = new ByteReservations(limits, clock);
    await budget.reserve({ key: "a", bytes: 50 });
    await budget.reserve({ key: "b", bytes: 40 });
    const own = tracked(budget.reserve({ key: "a", bytes: 5, waitMsMax: 10 }));
    const all = tracked(budget.reserve({ key: "c", bytes: 20, waitMsMax: 10 }));
    clock.advance(9);
    await settled();
    expect([own.code, all.code]).toEqual([undefined, undefined]);
    clock.advance(1);
    await settled();
    expect([own.code, all.code, budget.waitingCount]).toEqual(["too_many_requests", "unavailable", 0]);
  });

  test("rejects one more waiting reservation of a key than allowed", async () => {
    const budget = new ByteReservations(limits, new FakeClock());
    await budget.reserve({ key: "a", bytes: 50 });
    for (let count = 0; count < 2; count += 1) void budget.reserve({ key: "a", bytes: 5 });
    await expect(budget.reserve({ key: "a", bytes: 5 })).rejects.toMatchObject({ code: "too_many_requests" });
  });

  test("drops a waiting reservation whose caller disconnects", async () => {
    const budget = new ByteReservations(limits, new FakeClock());
    await budget.reserve({ key: "a", bytes: 100 });
    const gone = new AbortController();
    const waiting = tracked(budget.reserve({ key: "b", bytes: 50, signal: gone.signal }));
    gone.abort();
    await settled();
    expect([waiting.code === undefined, budget.waitingCount]).toEqual([false, 0]);
  });

  test("reports once that reservations are rejected and once that half of the budget is free again", async () => {
    const clock = new FakeClock();
    const changes: boolean[] = [];
    const budget = new ByteReservations(limits, clock, (isExhausted) => changes.push(isExhausted));
    const [a, b] = [await budget.reserve({ key: "a", bytes: 50 }), await budget.reserve({ key: "b", bytes: 50 })];
    const refused = [tracked(budget.reserve({ key: "c", bytes: 1, waitMsMax: 10 }))];
    refused.push(tracked(budget.reserve({ key: "d", bytes: 1, waitMsMax: 10 })));
    clock.advance(10);
    await settled();
    expect(changes).toEqual([true]);
    a.resize(1);
    expect(changes).toEqual([true]);
    b.release();
    expect(changes).toEqual([true, false]);
  });
});
