import { describe, expect, test } from "vitest";
import { linkCountMax, textLinkLengthMax } from "./bounds.ts";
import { findTextLinks } from "./text-links.ts";

const hrefsOf = (text: string): string[] => findTextLinks(text).map(({ href }) => href);

describe("addresses", () => {
  test.each<[string, string[]]>([
    ["Go to https://example.com/a?b=c#d now", ["https://example.com/a?b=c#d"]],
    ["HTTP://EXAMPLE.COM", ["HTTP://EXAMPLE.COM"]],
    ["see www.example.com or example.com", ["www.example.com"]],
    ["write to mailto:a@b.example or a@b.example", ["mailto:a@b.example"]],
    ["ftp://example.com javascript:alert(1) httpx://a", []],
    ["http:// https:// www.", []],
    ["http://localhost:3000/x http://127.0.0.1/y", ["http://localhost:3000/x", "http://127.0.0.1/y"]],
    ["https://例え.jp/パス?é=ü", ["https://例え.jp/パス?é=ü"]],
    ["https://a.example/1\nhttps://a.example/1", ["https://a.example/1", "https://a.example/1"]],
    ["xhttps://a.example", []],
    ["请访问https://a.example/x，谢谢。", ["https://a.example/x"]],
    ["https://a.example/?next=https://b.example/", ["https://a.example/?next=https://b.example/"]],
    ["https://a.example/{{id}}", ["https://a.example/{{id}}"]],
    ["no address at all", []],
  ])("%j", (text, expected) => {
    expect(hrefsOf(text)).toEqual(expected);
  });
});

describe("text around an address is not part of it", () => {
  test.each<[string, string]>([
    ["https://a.example/x.", "https://a.example/x"],
    ["https://a.example/x, and", "https://a.example/x"],
    ["https://a.example/x?!", "https://a.example/x"],
    ["https://a.example/x/", "https://a.example/x/"],
    ["https://a.example/x_", "https://a.example/x_"],
    ["https://a.example/x-", "https://a.example/x-"],
    ["<https://a.example/x>", "https://a.example/x"],
    ["(https://a.example/x)", "https://a.example/x"],
    ["(see https://a.example/x).", "https://a.example/x"],
    ["[https://a.example/x]", "https://a.example/x"],
    ["[text](https://a.example/x)", "https://a.example/x"],
    ['"https://a.example/x"', "https://a.example/x"],
    ["'https://a.example/x'", "https://a.example/x"],
    ["“https://a.example/x”", "https://a.example/x"],
    ["*https://a.example/x*", "https://a.example/x"],
    ["https://a.example/wiki/X_(y)", "https://a.example/wiki/X_(y)"],
    ["(https://a.example/wiki/X_(y))", "https://a.example/wiki/X_(y)"],
    ["https://a.example/?a[]=1&b[0]", "https://a.example/?a[]=1&b[0]"],
    ["https://a.example/x\u200b", "https://a.example/x"],
  ])("%j", (text, expected) => {
    expect(hrefsOf(text)).toEqual([expected]);
  });
});

test("returns text equal to href", () => {
  expect(findTextLinks("https://a.example/x.")).toEqual([{ href: "https://a.example/x", text: "https://a.example/x" }]);
});

test(`accepts an address of ${textLinkLengthMax} code units and rejects a longer one`, () => {
  const longest = `http://${"a".repeat(textLinkLengthMax - 7)}`;
  expect(hrefsOf(`${longest} http://b`)).toEqual([longest, "http://b"]);
  expect(hrefsOf(`${longest}a http://b`)).toEqual(["http://b"]);
});

test(`lists ${linkCountMax} links and omits the next one`, () => {
  expect(findTextLinks("http://a ".repeat(linkCountMax))).toHaveLength(linkCountMax);
  expect(findTextLinks("http://a ".repeat(linkCountMax + 1))).toHaveLength(linkCountMax);
});
