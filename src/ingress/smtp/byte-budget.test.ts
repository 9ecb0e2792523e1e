import { expect, test } from "vitest";
import { ByteBudget } from "./byte-budget.ts";

test("bytes are taken up to the bound and not one past it, and can be taken again once given back", () => {
  const budget = new ByteBudget(10);
  expect(budget.take(4)).toBe(true);
  expect(budget.take(7)).toBe(false);
  expect(budget.take(6)).toBe(true);
  expect(budget.take(1)).toBe(false);
  budget.give(4);
  expect(budget.bytesUsed).toBe(6);
  expect(budget.take(4)).toBe(true);
});
