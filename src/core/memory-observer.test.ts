import { expect, test } from "vitest";
import { residentBytes } from "./memory-observer.ts";

test("returns the last value while it cannot be read", () => {
  expect(residentBytes()).toBeGreaterThan(1e6);
  expect(residentBytes(() => 42)).toBe(42);
  const failing = (): number => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  };
  expect(residentBytes(failing)).toBe(42);
});
