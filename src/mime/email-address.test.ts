import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEmailAddress } from "./email-address.ts";

describe("parseEmailAddress", () => {
  it.each([
    ["a@b", "a", "b"],
    ["Jane.Doe+tag@Example.COM", "Jane.Doe+tag", "Example.COM"],
    ["x@abcd1234.127.0.0.1", "x", "abcd1234.127.0.0.1"],
    ["jürgen@exämple.com", "jürgen", "exämple.com"],
    ['"a b@c"@example.com', '"a b@c"', "example.com"],
    [String.raw`"a\"b"@example.com`, String.raw`"a\"b"`, "example.com"],
    ["a@[192.0.2.1]", "a", "[192.0.2.1]"],
    ["a@[IPv6:2001:db8::1]", "a", "[IPv6:2001:db8::1]"],
    [`${"a".repeat(64)}@example.com`, "a".repeat(64), "example.com"],
    [`a@${"b".repeat(63)}.com`, "a", `${"b".repeat(63)}.com`],
  ])("accepts %s", (text, localPart, domain) => {
    expect(parseEmailAddress(text)).toEqual({ localPart, domain });
  });

  it.each([
    "",
    "a",
    "@",
    "a@",
    "@b",
    "a@b@c",
    "a b@c",
    "a@b c",
    " a@b",
    "a@b ",
    "<a@b>",
    "Name <a@b>",
    "a@b, c@d",
    "a@b;c@d",
    ".a@b",
    "a.@b",
    "a..b@c",
    "a@.b",
    "a@b.",
    "a@b..c",
    "a@-b",
    "a@b-",
    "@r:a@b",
    "a(c)@b",
    '"a@b',
    'a"b"@c',
    '"a"b"@c',
    "a@[b]",
    "a@[1.2.3]",
    "a@b\r\nRCPT TO:<c@d>",
    "a\r\n@b",
    '"a\r\nb"@c',
    '"a\0"@b',
    "a\u2028@b",
    "a\u00a0b@c",
    "a@\ud800",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.com`,
    `a@${"b.".repeat(126)}com`,
  ])("rejects %j", (text) => {
    expect(parseEmailAddress(text)).toBeUndefined();
  });

  it("returns every character of accepted text, and rejects line ends", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("a", "b", ".", "@", '"', "\\", " ", "\r", "\n", "ü", "[", "]", "<", ">", "-"),
          maxLength: 12,
        }),
        (text) => {
          const address = parseEmailAddress(text);
          if (address === undefined) return;
          expect(`${address.localPart}@${address.domain}`).toBe(text);
          expect(text).not.toMatch(/[\r\n]/);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
