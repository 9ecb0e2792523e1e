import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { parseJsonBody } from "./json-body.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");
const codeOf = (body: Uint8Array, contentType?: string): string | undefined => {
  try {
    parseJsonBody(body, contentType);
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
  return undefined;
};

describe("parseJsonBody", () => {
  test("returns undefined for an empty body, whatever its type", () => {
    expect(parseJsonBody(bytes(""), "text/html")).toBeUndefined();
    expect(parseJsonBody(bytes(""), "application/json; charset=utf-8")).toBeUndefined();
  });

  test.each([
    undefined,
    "application/json",
    "application/json; charset=UTF-8",
    'Application/JSON;charset="utf-8"',
    "text/json",
    "application/vnd.api+json",
  ])("parses JSON as %s", (contentType) => {
    expect(parseJsonBody(bytes('{"a":"…👍🏽"}'), contentType)).toEqual({ a: "…👍🏽" });
  });

  test.each([
    "application/x-www-form-urlencoded",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/jsonp",
    "json",
    "",
  ])("rejects %j", (contentType) => {
    expect(codeOf(bytes("{}"), contentType)).toBe("unsupported_media_type");
  });

  test("ignores a byte-order mark", () => {
    expect(parseJsonBody(bytes("\ufeff{}"), undefined)).toEqual({});
  });

  test.each([["{"], ["{'a':1}"], ["undefined"], ["{}{}"], ["\0"]])("rejects %j with 400", (text) => {
    expect(codeOf(bytes(text))).toBe("invalid_request");
  });

  test("rejects invalid UTF-8 with 400", () => {
    expect(codeOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe("invalid_request");
  });

  test("rejects a body beyond the limits with 413", () => {
    expect(codeOf(bytes("[".repeat(500_000)))).toBe("body_too_large");
    expect(codeOf(bytes(`[${"{},".repeat(500_000)}{}]`))).toBe("body_too_large");
  });

  test("parses or rejects any bytes with 400", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (body) => {
        expect([undefined, "invalid_request"]).toContain(codeOf(body));
      }),
    );
  });
});
