import fc from "fast-check";
import { describe, expect, test } from "vitest";
import twilio from "twilio";
import type { FormFields } from "../../core/read-form.ts";
import { signTwilioRequest, verifyTwilioRequest } from "./message.ts";
import { urlPath, urlQuery } from "../../testing/url-parts.test-aid.ts";

const token = "12345";
const url = "https://example.com/myapp.php?foo=1&bar=2";
const form: FormFields = [
  ["Digits", "1234"],
  ["To", "+18005551212"],
  ["From", "+14158675310"],
  ["Caller", "+14158675310"],
  ["CallSid", "CA1234567890ABCDE"],
];
const grouped = (fields: FormFields): Record<string, string | string[]> => {
  const result: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of fields) (result[name] ??= []).push(value);
  return Object.fromEntries(
    Object.entries(result).map(([name, own]) => [name, own.length === 1 ? (own[0] ?? "") : own]),
  );
};
const fields = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()), { maxLength: 6 });
const repeated = fc.array(fc.tuple(fc.constantFrom("A", "a", "B", "10", "9"), fc.constantFrom("x", "y", "", "é")));
const urls = fc
  .tuple(fc.constantFrom("http", "https"), fc.webAuthority(), urlPath, fc.option(urlQuery))
  .map(([scheme, authority, path, query]) => `${scheme}://${authority}${path}${query === null ? "" : `?${query}`}`);

describe("signTwilioRequest", () => {
  test("returns the signature that Twilio's own library expects", () => {
    fc.assert(
      fc.property(urls, fc.oneof(fields, repeated), (target, given) => {
        const signature = signTwilioRequest({ url: target, form: given }, token);
        expect(twilio.validateRequest(token, signature, target, grouped(given))).toBe(true);
        expect(signature).toBe(twilio.getExpectedTwilioSignature(token, target, grouped(given)));
      }),
    );
  });

  test("is accepted with and without the default port", () => {
    for (const [signed, called] of [
      ["https://x.example/a?b=1", "https://x.example:443/a?b=1"],
      ["https://x.example:443/a", "https://x.example/a"],
      ["http://x.example/", "http://x.example:80/"],
      ["http://x.example:8025/in", "http://x.example:8025/in"],
      ["http://x.example/in", "http://x.example:8025/in"],
      ["https://[::1]/in", "https://[::1]:443/in"],
    ] as const) {
      const signature = twilio.getExpectedTwilioSignature(token, signed, grouped(form));
      expect(verifyTwilioRequest({ url: called, form }, signature, token)).toBe(true);
      expect(twilio.validateRequest(token, signature, called, grouped(form))).toBe(true);
    }
  });

  test("is rejected when a field, the URL, the token or the signature differs", () => {
    const signature = signTwilioRequest({ url, form }, token);
    expect(verifyTwilioRequest({ url, form }, signature, token)).toBe(true);
    expect(verifyTwilioRequest({ url, form: [...form, ["Body", "x"]] }, signature, token)).toBe(false);
    expect(verifyTwilioRequest({ url: `${url}&c=3`, form }, signature, token)).toBe(false);
    expect(verifyTwilioRequest({ url: url.replace("https", "http"), form }, signature, token)).toBe(false);
    expect(verifyTwilioRequest({ url, form }, signature, "12346")).toBe(false);
    for (const wrong of ["", "x", signature.slice(1), `${signature}=`, signature.toLowerCase()]) {
      expect(verifyTwilioRequest({ url, form }, wrong, token)).toBe(false);
    }
  });

  test("agrees with Twilio's own library for any request, and never throws", () => {
    fc.assert(
      fc.property(urls, fields, fc.string(), (target, given, signature) => {
        expect(verifyTwilioRequest({ url: target, form: given }, signature, token)).toBe(
          twilio.validateRequest(token, signature, target, grouped(given)),
        );
        expect(verifyTwilioRequest({ url: signature, form: given }, "x", token)).toBe(false);
      }),
    );
  });
});
