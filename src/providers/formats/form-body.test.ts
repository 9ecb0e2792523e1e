import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldParts, writeMultipart, writeUrlEncoded, type FormPart } from "./form-body.ts";
import { readFormBody } from "./multipart.ts";

const text = fc.string({ unit: "grapheme" });
const field = fc.record({ name: text, value: text });

test("fieldParts keeps the order and leaves out null", () => {
  expect(fieldParts({ b: "1", a: null, c: "" })).toEqual([
    { name: "b", value: "1" },
    { name: "c", value: "" },
  ]);
});

describe("writeMultipart", () => {
  test("writes fields that parsers read again", async () => {
    const name = fc.string({ unit: fc.constantFrom("a", "ü", "€", " ", "[", "]", "-"), minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ name, value: text }), { minLength: 1 }), async (fields) => {
        const { body, contentType } = writeMultipart(fields);
        const read = await readFormBody(body, contentType);
        expect(read?.fields).toEqual(fields.map(({ name: own, value }) => [own, value]));
      }),
    );
  });

  test("writes files to the byte, with a boundary that they do not contain", async () => {
    const first = writeMultipart([{ name: "a", value: "" }]);
    const boundary = first.contentType.replace(/^.*boundary=/, "");
    const content = Buffer.concat([
      Uint8Array.from({ length: 256 }, (_none, at) => at),
      Buffer.from(`\r\n--${boundary}--`),
    ]);
    const file = { fileName: 'a "b"\r\nc.txt', contentType: "text/plain" };
    const { body, contentType } = writeMultipart([{ name: "f", value: content, file }]);
    expect(contentType).not.toContain(boundary);
    const [read] = (await readFormBody(body, contentType))?.files ?? [];
    expect(read).toMatchObject({ name: "f", fileName: "a %22b%22%0D%0Ac.txt", contentType: "text/plain" });
    expect(Buffer.from(read?.content ?? []).equals(content)).toBe(true);
  });

  test.each(["", "text", 'x/y; z="\r\n"', `a/${"b".repeat(200)}`])(
    "writes octet-stream for the type %j",
    (contentType) => {
      const part: FormPart = { name: "f", value: "x", file: { fileName: "f", contentType } };
      expect(Buffer.from(writeMultipart([part]).body).toString()).toContain(
        "Content-Type: application/octet-stream\r\n",
      );
    },
  );

  test("cuts file names at 1000 characters", () => {
    const part: FormPart = { name: "f", value: "x", file: { fileName: "n".repeat(5000), contentType: "a/b" } };
    expect(Buffer.from(writeMultipart([part]).body).toString()).toContain(`filename="${"n".repeat(1000)}"\r\n`);
  });
});

describe("writeUrlEncoded", () => {
  test("writes what URLSearchParams reads", () => {
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const { body, contentType } = writeUrlEncoded(fields);
        expect(contentType).toBe("application/x-www-form-urlencoded");
        const read = Array.from(new URLSearchParams(Buffer.from(body).toString("latin1")));
        const isEmpty = ({ name, value }: (typeof fields)[number]): boolean => name === "" && value === "";
        expect(read.filter(([name, value]) => name !== "" || value !== "")).toEqual(
          fields.filter((one) => !isEmpty(one)).map(({ name, value }) => [name, value]),
        );
      }),
    );
  });

  test("writes bytes as they are", () => {
    const { body } = writeUrlEncoded([{ name: "raw", value: Uint8Array.of(0, 0x41, 0x20, 0xff) }]);
    expect(Buffer.from(body).toString("latin1")).toBe("raw=%00A+%FF");
  });
});
