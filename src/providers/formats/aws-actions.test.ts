import fc from "fast-check";
import { expect, test } from "vitest";
import { formFieldCountMax } from "../../core/arrival-rate.ts";
import { readQuery } from "./aws-actions.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const read = async (body: string): Promise<unknown> => {
  const value = await readQuery(Buffer.from(body));
  // Objects of requests have no prototype, which a comparison would notice.
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
};

test("returns nested objects, and arrays of members and entries in numeric order", async () => {
  expect(
    await read("Action=A&a.b=1&a.c=2&l.member.10=k&l.member.2=j&m.entry.1.key=x&m.entry.1.value=y&empty="),
  ).toEqual({
    Action: "A",
    a: { b: "1", c: "2" },
    l: ["j", "k"],
    m: [{ key: "x", value: "y" }],
    empty: "",
  });
});

test("keeps the first of equal names, and ignores values below a value", async () => {
  expect(await read("a=1&a=2&a.b=3&&c")).toEqual({ a: "1", c: "" });
  expect(await read("a.b=3&a=1")).toEqual({ a: { b: "3" } });
});

test("decodes percent-encoded UTF-8 and plus signs", async () => {
  const parts = fc.oneof(fc.string(), fc.constantFrom("%", "%4", "%zz", "%41", "%C3%A9", "%C3", "+", "="));
  const ascii = fc.array(parts).map((chunks) => chunks.join("").replaceAll("&", ""));
  await fc.assert(
    fc.asyncProperty(ascii, async (value) => {
      const expected = new URLSearchParams(`a=${value}`).get("a");
      expect(await read(`a=${value}`)).toEqual({ a: expected });
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: codePoint }), async (text) => {
      const value = text.toWellFormed();
      expect(await read(new URLSearchParams({ a: value }).toString())).toEqual({ a: value });
    }),
  );
});

test("reads names of prototypes as ordinary names", async () => {
  expect(await read("__proto__.a=1&constructor=2")).toEqual(JSON.parse('{"__proto__":{"a":"1"},"constructor":"2"}'));
});

test("bounds the number of fields, the depth and the length of names", async () => {
  expect(await read("a=1&".repeat(formFieldCountMax))).toEqual({ a: "1" });
  expect(await read("a=1&".repeat(formFieldCountMax + 1))).toBeUndefined();
  expect(await read("&".repeat(formFieldCountMax + 1))).toBeUndefined();
  expect(await read(`${"a.".repeat(12)}a=1&b=2`)).toEqual({ b: "2" });
  expect(await read(`${"a".repeat(501)}=1&b=2`)).toEqual({ b: "2" });
});
