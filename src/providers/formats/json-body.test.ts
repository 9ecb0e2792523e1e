import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, jsonDepthMax, jsonValueCountMax, readJson } from "./json-body.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("readJson", () => {
  test("returns any JSON value", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(readJson(bytes(json))).toEqual(JSON.parse(json));
      }),
    );
    expect(readJson(bytes(String.raw`{"a":"[\"\\\",","b":["\\\\"]}`))).toEqual({ a: '["\\",', b: ["\\\\"] });
  });

  test.each(["", "{", '{"a":"b', "[1,]", "undefined"])("returns undefined for %j", (text) => {
    expect(readJson(bytes(text))).toBeUndefined();
  });

  test("returns undefined for bytes that are not UTF-8", () => {
    expect(readJson(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
    fc.assert(fc.property(fc.uint8Array(), (body) => void readJson(body)));
  });

  test("accepts jsonDepthMax nested arrays and no more", () => {
    const nested = (depth: number): Uint8Array => bytes("[".repeat(depth) + "]".repeat(depth));
    expect(readJson(nested(jsonDepthMax))).toBeDefined();
    expect(readJson(nested(jsonDepthMax + 1))).toBeUndefined();
    expect(readJson(nested(jsonValueCountMax / 2 - 1))).toBeUndefined();
    expect(readJson(nested(jsonValueCountMax - 1))).toBeUndefined();
    const objects = (depth: number): Uint8Array => bytes('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
    expect(readJson(objects(jsonDepthMax))).toBeDefined();
    expect(readJson(objects(jsonDepthMax + 1))).toBeUndefined();
    const large = "a".repeat(jsonValueCountMax);
    expect(readJson(bytes(`["${large}",${"[".repeat(jsonDepthMax)}${"]".repeat(jsonDepthMax)}]`))).toBeUndefined();
  });

  test("accepts jsonValueCountMax values and no more; brackets in strings do not count", () => {
    const list = (count: number): Uint8Array => bytes(`[${"1,".repeat(count - 2)}1]`);
    expect(readJson(list(jsonValueCountMax))).toHaveLength(jsonValueCountMax - 1);
    expect(readJson(list(jsonValueCountMax + 1)) === undefined).toBe(true);
    expect(readJson(bytes(JSON.stringify("[,".repeat(jsonValueCountMax))))).toBeDefined();
  });
});

test("isJsonObject is true for objects only", () => {
  expect([{}, [], null, "{}", 1].map(isJsonObject)).toEqual([true, false, false, false, false]);
});
