import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createMailAdmission } from "./mail-admission.ts";

const mebibyte = 1024 * 1024;
const settled = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("mail admission", () => {
  test("admits small mails at once while large ones wait", () => {
    const admission = createMailAdmission({ mailWorkBytesMax: mebibyte }, new FakeClock());
    void admission.admit(50 * mebibyte, "a");
    expect(admission.admit(256 * 1024, "a")).toBeNull();
  });

  test("admits one mail of the largest size at a time and reports each transition once", async () => {
    const seen: string[] = [];
    const limits = { mailWorkBytesMax: 256 * mebibyte };
    const admission = createMailAdmission(limits, new FakeClock(), (change) => seen.push(change));
    const ends: (() => void)[] = [];
    for (const key of ["a", "b", "c", "d"]) void admission.admit(50 * mebibyte, key)?.then((end) => ends.push(end));
    await settled();
    expect([ends.length, admission.waitingCount(), seen]).toEqual([1, 3, ["waiting"]]);
    for (let count = 1; count <= 4; count += 1) {
      expect(ends).toHaveLength(count);
      ends.at(-1)?.();
      await settled();
    }
    expect([admission.waitingCount(), seen]).toEqual([0, ["waiting", "flowing"]]);
  });

  test("rejects with unavailable after two minutes", async () => {
    const clock = new FakeClock();
    const admission = createMailAdmission({ mailWorkBytesMax: mebibyte }, clock);
    await admission.admit(mebibyte, "a");
    const waiting = admission.admit(mebibyte, "b");
    clock.advance(120_000);
    await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
  });

  test("charges the mails of one piece of work once, as much as the largest, until the last is released", async () => {
    const admission = createMailAdmission({ mailWorkBytesMax: mebibyte }, new FakeClock());
    await admission.asOne(async () => {
      const body = await admission.admit(2 * mebibyte, "key");
      const mail = await admission.admit(3 * mebibyte, "server");
      const small = await admission.admit(mebibyte, "server");
      expect(admission.bytesReserved()).toBe(15 * mebibyte);
      small?.();
      small?.();
      mail?.();
      expect(admission.bytesReserved()).toBe(15 * mebibyte);
      body?.();
      expect(admission.bytesReserved()).toBe(0);
    });
  });

  test("lets pieces of work wait for each other, not for themselves", async () => {
    const admission = createMailAdmission({ mailWorkBytesMax: mebibyte }, new FakeClock());
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      const body = await admission.admit(mebibyte, name);
      await settled();
      const mail = await admission.admit(mebibyte, "server");
      order.push(name);
      mail?.();
      body?.();
    };
    await Promise.all(["a", "b", "c"].map(async (name) => admission.asOne(async () => work(name))));
    expect(order).toEqual(["a", "b", "c"]);
    expect(admission.bytesReserved()).toBe(0);
  });

  test("collects the garbage of very large work once its burst is over", async () => {
    const clock = new FakeClock();
    const admission = createMailAdmission({ mailWorkBytesMax: 256 * mebibyte }, clock);
    for (let count = 0; count < 3; count += 1) (await admission.admit(16 * mebibyte, "a"))?.();
    expect(clock.appointmentCount).toBe(1);
    clock.advance(1000);
    (await admission.admit(mebibyte, "a"))?.();
    expect(clock.appointmentCount).toBe(0);
  });
});
