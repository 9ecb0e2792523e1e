import { describe, expect, it, test } from "vitest";
import { joinAndFree, residentBytes } from "./process-resources.ts";

describe("joinAndFree", () => {
  it("returns the bytes of all chunks in order, and frees each chunk that owns its memory", () => {
    const [own, part] = [new Uint8Array(4).fill(1), Buffer.from("shared").subarray(0, 3)];
    expect(joinAndFree([own, part])).toEqual(Buffer.from([1, 1, 1, 1, ...Buffer.from("sha")]));
    expect(own.byteLength).toBe(0);
    expect(part.toString()).toBe("sha");
  });

  it("returns no bytes of no chunks", () => {
    expect(joinAndFree([])).toHaveLength(0);
  });
});

test("residentBytes returns the last value while it cannot be read", () => {
  expect(residentBytes()).toBeGreaterThan(1e6);
  expect(residentBytes(() => 42)).toBe(42);
  const failing = (): number => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  };
  expect(residentBytes(failing)).toBe(42);
});
