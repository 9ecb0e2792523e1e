import { describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createPreviewCache, type PreviewCache } from "./preview-cache.ts";

function openDesk(bytesMax = 100): { readonly desk: PreviewCache; readonly made: string[]; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { desk: createPreviewCache(clock, bytesMax), made: [], clock };
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a desk of previews", () => {
  test("has each preview made once, however many ask for it", async () => {
    const { desk, made } = openDesk();
    const make = async (): Promise<Uint8Array> => {
      made.push("a");
      return Buffer.from("picture");
    };
    const all = await Promise.all([desk.get("a", make), desk.get("a", make), desk.get("a", make)]);
    expect(all.map(String)).toEqual(["picture", "picture", "picture"]);
    expect([made, desk.isReady("a"), desk.isReady("b")]).toEqual([["a"], true, false]);
  });

  test("keeps so many bytes, and lets go what nobody has asked for longest", async () => {
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

  test("lets go even one that is larger than all it may keep, after handing it out", async () => {
    const { desk } = openDesk(30);
    expect((await desk.get("a", async () => Buffer.alloc(31))).byteLength).toBe(31);
    await settled();
    expect(desk.isReady("a")).toBe(false);
  });

  test("forgets a failure that asks to retry later", async () => {
    const { desk } = openDesk();
    const fail = async (): Promise<Uint8Array> => {
      throw new Problem("too_many_requests", { retryAfterSeconds: 1 });
    };
    await expect(desk.get("a", fail)).rejects.toMatchObject({ code: "too_many_requests" });
    await settled();
    expect(String(await desk.get("a", async () => Buffer.from("picture")))).toBe("picture");
  });

  test("tells of a failure again for a minute, then tries anew", async () => {
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

  test("forgets what it is told to, also while it is being made", async () => {
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
