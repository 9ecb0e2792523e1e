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
});
