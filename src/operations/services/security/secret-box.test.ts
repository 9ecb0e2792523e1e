import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const box = createSecretBox(randomBytes(32));

describe("a sealed secret", () => {
  test("is opened with the same key and owner, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, owner) => {
        expect(box.open(box.seal(text, owner), owner)).toBe(text.toWellFormed());
      }),
    );
  });

  test("reveals nothing of the text and differs every time", () => {
    const [one, other] = [box.seal("ONSWG4TFOQYTEMY=", "a"), box.seal("ONSWG4TFOQYTEMY=", "a")];
    expect(Buffer.from(one).includes("ONSWG4TFOQYTEMY")).toBe(false);
    expect(Buffer.from(one).equals(other)).toBe(false);
  });

  test("is not opened with another key, for another owner, or after any change", () => {
    const sealed = box.seal("secret", "owner");
    expect(createSecretBox(randomBytes(32)).open(sealed, "owner")).toBeUndefined();
    expect(box.open(sealed, "other")).toBeUndefined();
    for (const at of sealed.keys()) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(box.open(changed, "owner")).toBeUndefined();
      expect(box.open(sealed.subarray(0, at), "owner")).toBeUndefined();
    }
  });

  test("returns undefined for arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(box.open(bytes, "owner")).toBeUndefined();
      }),
    );
  });
});
