import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { bodyNameBytesMax, jsonDepthMax, jsonValueCountMax } from "./arrival-rate.ts";
import { Problem } from "./errors.ts";
import { readJson, readJsonAhead, readJsonBody, readJsonBodyInTurns } from "./read-json.ts";
import { mainTurns } from "./shared-turns.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const faultOf = (text: string): unknown => {
  const reading = readJson(bytes(text));
  return "fault" in reading ? reading.fault : null;
};

describe("readJson", () => {
  test("returns any JSON value", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(readJson(bytes(json))).toEqual({ value: JSON.parse(json) as unknown });
      }),
    );
    const escaped = String.raw`{"a":"[\"\\\",","b":["\\\\"]}`;
    expect(readJson(bytes(escaped))).toEqual({ value: { a: '["\\",', b: ["\\\\"] } });
  });

  test("finds the end of every string, long or short, whatever it escapes", () => {
    const piece = fc.constantFrom('"', "\\", "a", "[", ",", "é", "\\".repeat(130), "b".repeat(200));
    fc.assert(
      fc.property(fc.array(fc.array(piece).map((pieces) => pieces.join(""))), (texts) => {
        const deep = "[".repeat(jsonDepthMax - 1) + "]".repeat(jsonDepthMax - 1);
        const json = JSON.stringify(texts);
        expect(readJson(bytes(json))).toEqual({ value: texts });
        expect(faultOf(`[${json},${deep}]`)).toBeNull();
        expect(faultOf(`[${json},[${deep}]]`)).toBe("depth");
      }),
    );
  });

  test.each(["", "{", '{"a":"b', '["\\', "[1,]", "undefined", "]".repeat(200)])("reports no JSON for %j", (text) => {
    expect(faultOf(text)).toBe("syntax");
  });

  test("reports bytes that are not UTF-8, or replaces them", () => {
    const invalid = Uint8Array.of(0x22, 0xff, 0x22);
    expect(readJson(invalid)).toEqual({ fault: "syntax" });
    expect(readJson(invalid, { replacesInvalid: true })).toEqual({ value: "\uFFFD" });
    fc.assert(fc.property(fc.uint8Array(), (body) => void readJson(body)));
  });

  test("ignores a byte-order mark", () => {
    expect(readJson(bytes("\uFEFF{}"))).toEqual({ value: {} });
  });

  test("accepts jsonDepthMax nested arrays and objects and no more", () => {
    const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    const objects = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    for (const nested of [arrays, objects]) {
      expect(faultOf(nested(jsonDepthMax))).toBeNull();
      expect(faultOf(nested(jsonDepthMax + 1))).toBe("depth");
      expect(faultOf(nested(150_000))).toBe("depth");
    }
    expect(faultOf(`[${arrays(jsonDepthMax - 1)},${arrays(jsonDepthMax - 1)}]`)).toBeNull();
  });

  test("accepts jsonValueCountMax values and no more; brackets in strings do not count", () => {
    const list = (count: number): string => `[${"1,".repeat(count - 2)}1]`;
    expect(faultOf(list(jsonValueCountMax))).toBeNull();
    expect(faultOf(list(jsonValueCountMax + 1))).toBe("values");
    expect(faultOf(`[${"{},".repeat(jsonValueCountMax / 2)}{}]`)).toBe("values");
    expect(faultOf(JSON.stringify("[,".repeat(jsonValueCountMax)))).toBeNull();
  });

  test("accepts names of bodyNameBytesMax bytes and no longer; strings may be of any length", () => {
    const member = (bytesOfName: number): string => `{"${"n".repeat(bytesOfName)}" : 1}`;
    expect(faultOf(member(bodyNameBytesMax))).toBeNull();
    expect(faultOf(member(bodyNameBytesMax + 1))).toBe("names");
    expect(faultOf(JSON.stringify({ a: "n".repeat(bodyNameBytesMax + 1), b: ["x"] }))).toBeNull();
  });
});

test.each([
  ["values", "[" + "0,".repeat(jsonValueCountMax) + "0]", "The JSON has more than 250000 values"],
  ["depth", "[".repeat(jsonDepthMax + 1), "The JSON is nested deeper than 100 arrays and objects"],
  ["names", `{"${"n".repeat(bodyNameBytesMax + 1)}":1}`, "A name in the JSON is longer than 1000 bytes"],
])("readJsonBody names the limit of %s", (_limit, text, message) => {
  const read = (): unknown => readJsonBody(bytes(text), () => null);
  expect(read).toThrow(new Problem("body_too_large", { text: message }));
});

test("readJsonBody leaves the error of a body that is no JSON to its caller", () => {
  expect(readJsonBody(bytes("{"), () => "own")).toBe("own");
  expect(readJsonBody(bytes("{}"), () => "own")).toEqual({});
});

describe("readJsonBodyInTurns", () => {
  const large = "x".repeat(2 * 1024 * 1024);

  test("leaves turns of the event loop to others between the steps of a large body", async () => {
    let turnCount = 0;
    let isRead = false;
    const count = (): void => {
      turnCount += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    expect(await readJsonBodyInTurns(bytes(JSON.stringify({ large })), () => null)).toEqual({ large });
    isRead = true;
    expect(turnCount).toBeGreaterThan(0);
  });

  test("returns and rejects what readJsonBody does, for small and for large bodies", async () => {
    const deep = "[".repeat(jsonDepthMax + 1);
    for (const space of ["", " ".repeat(2 * 1024 * 1024)]) {
      expect(await readJsonBodyInTurns(bytes(`${space}[1]`), () => "other")).toEqual([1]);
      expect(await readJsonBodyInTurns(bytes(`${space}[`), () => "other")).toBe("other");
      expect(await readJsonBodyInTurns(Buffer.concat([bytes(space), Buffer.of(0xff)]), () => "other")).toBe("other");
      await expect(readJsonBodyInTurns(bytes(`${space}${deep}`), () => "other")).rejects.toThrow("nested deeper");
    }
  });
});

describe("readJsonAhead", () => {
  const large = "x".repeat(2 * 1024 * 1024);

  test("reads a large body once, whatever it is, for the next reader", async () => {
    for (const text of [`{"a":"${large}"}`, `[${"{},".repeat(jsonValueCountMax)}${large}`, `{"a":"${large}`]) {
      const body = bytes(text);
      await readJsonAhead(body);
      const reading = readJson(body);
      expect(readJson(body)).toBe(reading);
      expect(Object.keys(reading)).toEqual(Object.keys(readJson(bytes(text))));
    }
  });

  test("leaves a body alone that is small, or does not begin as JSON does", async () => {
    for (const text of [`{"a":1}`, `a=${large}`]) {
      const body = bytes(text);
      await readJsonAhead(body);
      expect(readJson(body)).not.toBe(readJson(body));
    }
  });

  test("leaves turns of the event loop to others", async () => {
    const turn = vi.spyOn(mainTurns, "next");
    await readJsonAhead(bytes(`{"a":"${large}"}`));
    expect(turn.mock.calls.length).toBeGreaterThan(2);
    turn.mockRestore();
  });
});
