import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery } from "./query.ts";

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

describe("parseQuery", () => {
  test.each([
    ["", {}],
    ["&&", {}],
    ["server=abcd1234", { server: "abcd1234" }],
    ["Server=a&ITEMSPERPAGE=1", { server: "a", itemsperpage: "1" }],
    ["a=1&a=2", { a: "1" }],
    ["a", { a: "" }],
    ["a=", { a: "" }],
    ["=a", { "": "a" }],
    ["a=b=c", { a: "b=c" }],
    ["a=x+y", { a: "x y" }],
    ["a=x%2By", { a: "x+y" }],
    ["a=%F0%9F%91%8B", { a: "👋" }],
    ["a=%zz", { a: "%zz" }],
    ["a=%ff", { a: "%ff" }],
    ["a=2026-11-20T10:42:07.975Z", { a: "2026-11-20T10:42:07.975Z" }],
  ])("parses %j", (text, parameters) => {
    expect(Object.fromEntries(parseQuery(text))).toEqual(parameters);
  });

  test("agrees with URLSearchParams on everything that it writes", () => {
    const names = fc.string({ unit }).map((name) => name.toWellFormed().toLowerCase());
    const values = fc.string({ unit }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(fc.dictionary(names, values), (parameters) => {
        const text = new URLSearchParams(parameters).toString();
        expect(parseQuery(text)).toEqual(new Map(Object.entries(parameters)));
      }),
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(parseQuery(text)).toBeInstanceOf(Map);
      }),
    );
  });

  test("takes a hundred thousand parameters in linear time", () => {
    const text = Array.from({ length: 100_000 }, (_, at) => `p${String(at)}=${String(at)}`).join("&");
    const cpuBefore = process.threadCpuUsage();
    expect(parseQuery(text).size).toBe(100_000);
    expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(6000);
  });
});
