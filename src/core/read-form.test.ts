import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { bodyNameBytesMax, formFieldCountMax } from "./arrival-rate.ts";
import { Problem } from "./errors.ts";
import { readForm, readFormInTurns } from "./read-form.ts";
import { mainTurns } from "./shared-turns.ts";

describe("readForm", () => {
  test("returns the fields in order, of bytes and of text", () => {
    const fields = [
      ["a", "1 2"],
      ["b", "€&"],
      ["a", ""],
    ];
    const text = "a=1+2&b=%E2%82%AC%26&a";
    expect(readForm(text)).toEqual(fields);
    expect(readForm(Buffer.from(`x${text}`).subarray(1))).toEqual(fields);
    expect(readForm("")).toEqual([]);
  });

  test("accepts formFieldCountMax fields and no more", () => {
    const form = (count: number): string => "a&".repeat(count - 1) + "a";
    expect(readForm(form(formFieldCountMax))).toHaveLength(formFieldCountMax);
    const more = (): unknown => readForm(form(formFieldCountMax + 1));
    expect(more).toThrow(new Problem("body_too_large", { text: "The form has more than 10000 fields" }));
  });

  test("accepts names of bodyNameBytesMax characters and no longer; values may be of any length", () => {
    const field = (length: number): string => `${"n".repeat(length)}=${"v".repeat(2 * bodyNameBytesMax)}`;
    expect(readForm(field(bodyNameBytesMax))).toHaveLength(1);
    expect(() => readForm(field(bodyNameBytesMax + 1))).toThrow("The name of a form field is longer");
  });
});

describe("readFormInTurns", () => {
  const body = (text: string): Uint8Array => Buffer.from(text);

  test("returns what URLSearchParams does, as readForm", async () => {
    const part = fc.constantFrom("%", "%4", "%zz", "%41", "%C3%A9", "%C3", "%F0%9F%98%80", "+", "=", "&", "a", "?");
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        const text = `a=${parts.join("")}`;
        const expected = Array.from(new URLSearchParams(text));
        expect(readForm(text)).toEqual(expected);
        expect(await readFormInTurns(body(text))).toEqual(expected);
      }),
    );
  });

  test.each(["%C3%BC", "%", "%4", "ü", "a+", "%25%"])("decodes a large value in pieces: %s", async (part) => {
    for (const start of ["", "x", "xy"]) {
      const text = `${start}=${part.repeat(400_000)}`;
      expect(await readFormInTurns(body(text))).toEqual(Array.from(new URLSearchParams(text)));
    }
  });

  test("leaves turns of the event loop to others in large values and between fields", async () => {
    const turn = vi.spyOn(mainTurns, "next");
    await readFormInTurns(body(`a=${"x".repeat(2 * 1024 * 1024)}`));
    expect(turn.mock.calls.length).toBeGreaterThan(6);
    turn.mockClear();
    await readFormInTurns(body("a=b&".repeat(100)));
    expect(turn.mock.calls.length).toBeGreaterThan(90);
    turn.mockRestore();
  });

  test("rejects what readForm does", async () => {
    await expect(readFormInTurns(body("a&".repeat(formFieldCountMax + 1)))).rejects.toThrow("fields");
    await expect(readFormInTurns(body("n".repeat(bodyNameBytesMax + 1)))).rejects.toThrow("is longer");
  });
});
