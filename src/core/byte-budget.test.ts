import { expect, test } from "vitest";
import { ByteBudget } from "./byte-budget.ts";

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
