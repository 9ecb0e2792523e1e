import fc from "fast-check";
import { expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { readAttachments } from "./new-mail.ts";
import { codePoint } from "../../../testing/code-point.test-aid.ts";

const limits = { partCountMax: 10 };

test("decodes base64 with and without line ends", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isFolded) => {
      const base64 = Buffer.from(bytes).toString("base64");
      const content = isFolded ? base64.replaceAll(/.{1,76}/g, "$&\r\n") : base64;
      const [one] = readAttachments([{ content }], limits);
      expect(Buffer.from(one?.content ?? [])).toEqual(Buffer.from(bytes));
    }),
  );
});

test("rejects any other text and names its field", () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 40 }), (content) => {
      try {
        const [one] = readAttachments([{ content }], limits);
        expect(Buffer.from(one?.content ?? []).toString("base64").length).toBe(content.replaceAll(/\s/g, "").length);
      } catch (error) {
        expect(error instanceof Problem && error.fields[0]?.field).toBe("attachments[0].content");
      }
    }),
  );
});

test.each(["a", "ab", "abc", "ab=c", "====", "a===", "abcd=", "ab-_", "abc\u0000", "=abc"])("rejects %j", (content) => {
  expect(() => readAttachments([{}, { content }], limits)).toThrow(Problem);
});

test("accepts attachments up to the part limit, all of whose members are optional", () => {
  expect(readAttachments([{}, {}, {}, {}, {}], limits)[0]).toEqual({
    fileName: null,
    contentType: "application/octet-stream",
    content: Buffer.alloc(0),
    contentId: null,
    isInline: false,
  });
  expect(() => readAttachments([{}, {}, {}, {}, {}, {}], limits)).toThrow(Problem);
});
