import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { parseEmailAddress, withMessageId } from "./email-address.ts";
import { parseMail } from "./parse-mail.ts";

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

const id = "<new@provider.example>";
const replaced = (raw: string): string => Buffer.from(withMessageId(Buffer.from(raw), id)).toString("utf8");

test.each([
  ["A: b\r\nMessage-Id:<old@a>\r\nC: d\r\n\r\nbody", `A: b\r\nMessage-Id: ${id}\r\nC: d\r\n\r\nbody`],
  ["MESSAGE-ID :\r\n <old@a>\r\nC: d\r\n\r\nbody", `MESSAGE-ID : ${id}\r\nC: d\r\n\r\nbody`],
  ["Message-ID:\n\nbody", `Message-ID: ${id}\n\nbody`],
  ["A: b\r\n\r\nMessage-ID: body", `Message-ID: ${id}\r\nA: b\r\n\r\nMessage-ID: body`],
  ["\r\nbody", `Message-ID: ${id}\r\n\r\nbody`],
])("replaces or adds the field of %j", (raw, expected) => {
  expect(replaced(raw)).toBe(expected);
});

test("changes no other field and no byte of the body of a mail with a well-formed header section", () => {
  const value = fc.string().map((text) => text.replaceAll(/[^ -~]/g, "x"));
  const fields = fc.array(fc.tuple(fc.constantFrom("A", "Subject", "Message-ID", "X-B"), value), { minLength: 1 });
  fc.assert(
    fc.property(fields, fc.uint8Array(), (pairs, body) => {
      const head = pairs.map(([name, text]) => `${name}: ${text}\r\n`).join("");
      const raw = Buffer.concat([Buffer.from(`${head}\r\n`), body]);
      const changed = Buffer.from(withMessageId(raw, id));
      expect(changed.subarray(changed.length - body.length).equals(Buffer.from(body))).toBe(true);
      expect(parseMail(changed, defaultLimits).messageId).toBe(id);
      const others = (mail: Uint8Array) =>
        parseMail(mail, defaultLimits).headers.filter(({ field }) => field.toLowerCase() !== "message-id");
      expect(others(changed)).toEqual(others(raw));
    }),
  );
});
