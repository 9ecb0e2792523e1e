import { describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createPreviewCache, type PreviewCache } from "./mail-renderer.ts";

function openDesk(bytesMax = 100): { readonly desk: PreviewCache; readonly made: string[]; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { desk: createPreviewCache(clock, bytesMax), made: [], clock };
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the preview cache", () => {
  test("renders each preview once for concurrent requests", async () => {
    const { desk, made } = openDesk();
    const make = async (): Promise<Uint8Array> => {
      made.push("a");
      return Buffer.from("picture");
    };
    const all = await Promise.all([desk.get("a", make), desk.get("a", make), desk.get("a", make)]);
    expect(all.map(String)).toEqual(["picture", "picture", "picture"]);
    expect([made, desk.isReady("a"), desk.isReady("b")]).toEqual([["a"], true, false]);
  });

  test("evicts the least recently used preview beyond its size", async () => {
    const { desk, made } = openDesk(30);
    const ask = (id: string, size = 10): Promise<Uint8Array> => {
      return desk.get(id, async () => {
        made.push(id);
        return Buffer.alloc(size);
      });
    };
    for (const id of ["a", "b", "c"]) await ask(id);
    await ask("a");
    expect(["a", "b", "c"].map((id) => desk.isReady(id))).toEqual([true, true, true]);
    await ask("d", 11);
    await settled();
    expect(["a", "b", "c", "d"].map((id) => desk.isReady(id))).toEqual([true, false, false, true]);
    await ask("b", 5);
    expect(made).toEqual(["a", "b", "c", "d", "b"]);
  });

  test("evicts an entry larger than the whole cache after returning it", async () => {
    const { desk } = openDesk(30);
    expect((await desk.get("a", async () => Buffer.alloc(31))).byteLength).toBe(31);
    await settled();
    expect(desk.isReady("a")).toBe(false);
  });

  test("does not cache a failure with Retry-After", async () => {
    const { desk } = openDesk();
    const fail = async (): Promise<Uint8Array> => {
      throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
    };
    await expect(desk.get("a", fail)).rejects.toMatchObject({ code: "too_many_requests" });
    await settled();
    expect(String(await desk.get("a", async () => Buffer.from("picture")))).toBe("picture");
  });

  test("caches a failure for a minute, then renders again", async () => {
    const { desk, made, clock } = openDesk();
    const fail = async (): Promise<Uint8Array> => {
      made.push("try");
      throw new Error("too much");
    };
    await expect(desk.get("a", fail)).rejects.toThrow("too much");
    await settled();
    clock.advance(59_999);
    await expect(desk.get("a", fail)).rejects.toThrow("too much");
    expect(made).toHaveLength(1);
    clock.advance(1);
    await expect(desk.get("a", fail)).rejects.toThrow("too much");
    expect(made).toHaveLength(2);
  });

  test("removes a preview, also while it is being rendered", async () => {
    const { desk } = openDesk();
    let finish = (_picture: Uint8Array): void => undefined;
    const asked = desk.get("a", () => new Promise((resolve) => (finish = resolve)));
    desk.forget("a");
    finish(Buffer.from("picture"));
    expect(String(await asked)).toBe("picture");
    await settled();
    expect(desk.isReady("a")).toBe(false);
  });
});
