import fc from "fast-check";
import { describe, expect, test, it } from "vitest";
import {
  encodeSearchFields,
  foldPart,
  partOf,
  partSeparator,
  searchFieldsLengthMax,
  searchParts,
  wholeValue,
  type SearchFields,
  SearchBody,
} from "./search-fields.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const values = fc.array(fc.string({ unit: codePoint, maxLength: 20 }).map(foldPart), { maxLength: 3 });
const allFields: fc.Arbitrary<SearchFields> = fc.record(Object.fromEntries(searchParts.map((part) => [part, values])), {
  requiredKeys: [],
});

describe("encoded search fields", () => {
  test("contain each value in its part, and a separator behind each part, for any values", () => {
    fc.assert(
      fc.property(allFields, (fields) => {
        const encoded = encodeSearchFields(fields);
        expect(encoded.split(partSeparator)).toHaveLength(searchParts.length + 1);
        for (const part of searchParts) {
          const given = fields[part] ?? [];
          expect(partOf(encoded, part) === "").toBe(given.length === 0);
          for (const value of given) expect(partOf(encoded, part)).toContain(wholeValue(value));
        }
      }),
    );
  });

  test("keep the codes of a message whose other values are beyond the limit", () => {
    const to = Array.from({ length: 5000 }, (_, at) => `recipient-${at}@x.test`);
    const encoded = encodeSearchFields({ to, attachment: ["left-out.pdf"], code: ["804219"] });
    expect(partOf(encoded, "code")).toBe(wholeValue("804219"));
    expect(partOf(encoded, "attachment")).toBe("");
    expect(encoded.length).toBeLessThan(searchFieldsLengthMax + 100);
  });
});

const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 4 });

function written(body: SearchBody): string {
  const target = Buffer.alloc(body.byteLength + 2, "?");
  expect(body.writeTo(target, 1)).toBe(body.byteLength + 1);
  expect([target[0], target.at(-1)]).toEqual([0x3f, 0x3f]);
  return target.toString("utf8", 1, body.byteLength + 1);
}

describe("SearchBody", () => {
  it("writes the texts joined by line feeds, before and after they were joined", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const body = new SearchBody(parts);
        const whole = parts.join("\n");
        expect([written(body), body.text, written(body)]).toEqual([whole, whole, whole]);
      }),
    );
  });

  it("has no text after its release, and rejects to be written", () => {
    const body = new SearchBody(["text", "html"]);
    body.release();
    expect(body.text).toBeNull();
    expect(() => body.byteLength).toThrow("released");
    expect(() => body.writeTo(Buffer.alloc(9), 0)).toThrow("released");
  });
});
