import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readKey } from "./auth.ts";

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

const basic = (pair: string): string => `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;

describe("readKey", () => {
  test.each([
    ["user name, empty password", basic("KEY:"), "KEY"],
    ["user name, no colon", basic("KEY"), "KEY"],
    ["password of any user", basic("api:KEY"), "KEY"],
    ["password without a user", basic(":KEY"), "KEY"],
    ["password with a colon", basic("api:a:b"), "a:b"],
    ["Bearer", "Bearer KEY", "KEY"],
    ["schemes in any case", `bEARER KEY`, "KEY"],
    ["Basic in any case", basic("KEY:").replace("Basic", "basic"), "KEY"],
    ["more than one blank", "Bearer   KEY ", "KEY"],
  ])("finds the key in %s", (_way, field, key) => {
    expect(readKey(field)).toBe(key);
  });

  test.each([undefined, "", "Basic", "Basic ", "Bearer ", "KEY", basic(":"), basic(""), "Digest KEY"])(
    "returns undefined for %j",
    (field) => {
      expect(readKey(field)).toBeUndefined();
    },
  );

  test("finds any key as user name, as password and as Bearer token", () => {
    const keys = fc.stringMatching(/^[\w+/=.~-]{1,64}$/);
    fc.assert(
      fc.property(keys, (key) => {
        expect([basic(`${key}:`), basic(`api:${key}`), `Bearer ${key}`].map(readKey)).toEqual([key, key, key]);
      }),
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit }), (field) => {
        expect(readKey(`Basic ${field}`)).not.toBe("");
      }),
    );
  });
});
