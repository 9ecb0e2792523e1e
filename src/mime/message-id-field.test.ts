import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { withMessageId } from "./message-id-field.ts";
import { parseMail } from "./parse-mail.ts";

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
