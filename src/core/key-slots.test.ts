import { expect, test } from "vitest";
import { KeySlots } from "./key-slots.ts";

test("limits the slots of each key, rejects one more with too_many_requests, and frees a slot once", () => {
  const slots = new KeySlots(2, "streams");
  const free = slots.take("a");
  slots.take("a");
  expect(slots.hasFree("a")).toBe(false);
  expect(() => slots.take("a")).toThrow("This key has 2 streams under way; retry later");
  slots.take("b");
  free();
  free();
  slots.take("a");
  expect([slots.hasFree("a"), slots.hasFree("b")]).toEqual([false, true]);
});
