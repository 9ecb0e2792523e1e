import { describe, expect, test } from "vitest";
import { decodeReferences } from "./html-characters.ts";

describe("in text", () => {
  test.each([
    ["a &amp; b", "a & b"],
    ["&lt;b&gt;", "<b>"],
    ["&#8364;&#x20AC;&euro;", "€€€"],
    ["&eacute &ampx", "é &x"],
    ["&amp;amp;", "&amp;"],
    ["&#150;", "–"],
    ["&#0;", "\ufffd"],
    ["&CounterClockwiseContourIntegral;", "∳"],
    ["&unknown; & &;", "&unknown; & &;"],
    ["&zwnj;&nbsp;", "\u200c\u00a0"],
    ["no reference", "no reference"],
    ["a < b &gt; c", "a < b > c"],
  ])("decodes %j to %j", (written, expected) => {
    expect(decodeReferences(written, "text")).toBe(expected);
  });

  test("returns the same result for repeated calls", () => {
    expect(decodeReferences("&hearts;", "text")).toBe("♥");
    expect(decodeReferences("&hearts;", "text")).toBe("♥");
  });

  test("decodes many different references", () => {
    const names = ["alpha", "beta", "gamma", "delta", "eta", "iota", "kappa", "mu", "nu", "xi", "pi", "rho", "tau"];
    const many = [...names, ...names.map((name) => name.replace(/^./, (first) => first.toUpperCase()))];
    const decoded = decodeReferences(`< ${many.map((name) => `&${name};`).join("")}`, "text");
    expect(decoded).toBe("< αβγδηικμνξπρτΑΒΓΔΗΙΚΜΝΞΠΡΤ");
  });
});

describe("in attributes", () => {
  test.each([
    ["?a=1&amp;b=2", "?a=1&b=2"],
    ["?a=1&b=2", "?a=1&b=2"],
    ["?a=1&copy=2&copy;", "?a=1&copy=2©"],
    ["?a=1&notit;", "?a=1&notit;"],
    ["&quot;&apos;&amp;", "\"'&"],
    ['a"b&eacute;', 'a"bé'],
    ["x&amp", "x&"],
  ])("decodes %j to %j", (written, expected) => {
    expect(decodeReferences(written, "attribute")).toBe(expected);
  });

  test("keeps quotation marks between many unknown references", () => {
    const odd = Array.from({ length: 40 }, (_, index) => `&x${index};`).join('"');
    expect(decodeReferences(odd, "attribute")).toBe(odd);
  });
});
