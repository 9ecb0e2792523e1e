import { describe, expect, it } from "vitest";
import { joinAndFree } from "./free-memory.ts";

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
