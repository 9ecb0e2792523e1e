import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { parseTotpSecret, passwordAt } from "./one-time-password.ts";

/** Base32 of the seeds of RFC 6238 appendix B: 20, 32 and 64 bytes of ASCII digits. */
const seeds = {
  SHA1: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  SHA256: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
  SHA512: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
} as const;

const refusalOf = (text: string): string | undefined => {
  try {
    parseTotpSecret(text);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    const [field] = (error as Problem).fields;
    expect(field?.field).toBe("sharedSecret");
    return field?.code;
  }
};

describe("passwords", () => {
  test.each([
    [59, "94287082", "46119246", "90693936"],
    [1111111109, "07081804", "68084774", "25091201"],
    [1111111111, "14050471", "67062674", "99943326"],
    [1234567890, "89005924", "91819424", "93441116"],
    [2000000000, "69279037", "90698825", "38618901"],
    [20000000000, "65353130", "77737706", "47863826"],
  ])("are those of RFC 6238 appendix B at %i", (seconds, ...[sha1, sha256, sha512]) => {
    for (const [algorithm, code] of Object.entries({ SHA1: sha1, SHA256: sha256, SHA512: sha512 })) {
      const uri = `otpauth://totp/x?secret=${seeds[algorithm as keyof typeof seeds]}&algorithm=${algorithm}&digits=8`;
      const expiresAt = (Math.floor(seconds / 30) + 1) * 30_000;
      expect(passwordAt(parseTotpSecret(uri), seconds * 1000)).toEqual({ code, expiresAt });
    }
  });

  test("are valid to the end of their period", () => {
    const secret = parseTotpSecret(`otpauth://totp/x?secret=${seeds.SHA1}&period=7`);
    const first = passwordAt(secret, 0);
    expect(first.expiresAt).toBe(7000);
    expect(passwordAt(secret, 6999)).toEqual(first);
    expect(passwordAt(secret, 7000).code).not.toBe(first.code);
  });

  test("keep leading zeros", () => {
    expect(passwordAt(parseTotpSecret(seeds.SHA1), 1111111109_000).code).toBe("081804");
  });
});

describe("secrets", () => {
  test.each(["ONSWG4TFOQYTEMY=", "onswg4tfoqytemy", " ONSW G4TF OQYT EMY= ", "onsw-g4tf-oqyt-emy="])(
    "%j is parsed like its other notations",
    (text) => {
      expect(passwordAt(parseTotpSecret(text), 0)).toEqual(passwordAt(parseTotpSecret("ONSWG4TFOQYTEMY"), 0));
    },
  );

  test("reads all parameters and the label of a URI", () => {
    const uri =
      "otpauth://totp/Acme:alice%40acme.example?secret=onswg4tfoqytemy&issuer=Acme&algorithm=sha512&digits=7&period=60";
    expect(parseTotpSecret(uri)).toEqual({
      algorithm: "SHA512",
      digits: 7,
      periodSeconds: 60,
      base32: "ONSWG4TFOQYTEMY",
      label: "Acme: alice@acme.example",
    });
  });

  test.each([
    ["", "invalid_base32"],
    ["A", "invalid_base32"],
    ["not base32!", "invalid_base32"],
    ["0189", "invalid_base32"],
    ["A".repeat(4097), "too_long"],
    ["otpauth://hotp/x?secret=ONSWG4TFOQYTEMY&counter=1", "invalid_uri"],
    ["otpauth://totp/x", "invalid_uri"],
    ["otpauth://totp/x?secret=1", "invalid_base32"],
    ["otpauth://totp/x?secret=ONSWG4TF&digits=5", "invalid_digits"],
    ["otpauth://totp/x?secret=ONSWG4TF&digits=9", "invalid_digits"],
    ["otpauth://totp/x?secret=ONSWG4TF&period=0", "invalid_period"],
    ["otpauth://totp/x?secret=ONSWG4TF&period=1.5", "invalid_period"],
    ["otpauth://totp/x?secret=ONSWG4TF&algorithm=MD5", "invalid_algorithm"],
  ])("%j is refused", (text, code) => {
    expect(refusalOf(text)).toBe(code);
  });

  test("parses secrets of the longest length", () => {
    expect(refusalOf("A".repeat(4096))).toBeUndefined();
  });

  test("are parsed or rejected for any text, and every password has its digits", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[a-z2-7 =-]{2,60}$/),
      fc.string().map((rest) => `otpauth://totp/${rest}`),
    );
    fc.assert(
      fc.property(texts, fc.nat(), (text, seconds) => {
        if (refusalOf(text) !== undefined) return;
        const secret = parseTotpSecret(text);
        expect(passwordAt(secret, seconds * 1000).code).toMatch(new RegExp(`^\\d{${secret.digits}}$`));
      }),
    );
  });
});
