import { expect, test, describe } from "vitest";
import { analyseText, findTextLinks } from "./analysed-text.ts";
import { linkCountMax, textLinkLengthMax } from "./bounds.ts";

test("lists links and codes in the order of the text", () => {
  expect(
    analyseText(
      "Your code is 804219 (or 118-402).\nSee <https://a.example/482910> and www.b.example.\nYour special ID is G3H1Y2",
    ),
  ).toEqual({
    links: [
      { href: "https://a.example/482910", text: "https://a.example/482910" },
      { href: "www.b.example", text: "www.b.example" },
    ],
    codes: [{ value: "804219" }, { value: "118402" }, { value: "G3H1Y2" }],
  });
});

test("returns no findings for an empty text", () => {
  expect(analyseText("")).toEqual({ links: [], codes: [] });
});

test.each(["482913", "ABCDEFGHIJ", "A1B2C3D4E5", "k3j5k2", "ABC123"])(
  "ignores %s on an unrelated line when the text has two labelled codes",
  (token) => {
    const text = `hello.\n\n${token} text\n\nThe verification code is 654321\n\nSome special ID is 5H0Y2\n\ninvalid`;
    expect(analyseText(text).codes).toEqual([{ value: "654321" }, { value: "5H0Y2" }]);
  },
);

const hrefsOf = (text: string): string[] => findTextLinks(text).map(({ href }) => href);

describe("addresses", () => {
  test.each<[string, string[]]>([
    ["Go to https://example.com/a?b=c#d now", ["https://example.com/a?b=c#d"]],
    ["HTTP://EXAMPLE.COM", ["HTTP://EXAMPLE.COM"]],
    ["see www.example.com or example.com", ["www.example.com"]],
    ["write to mailto:a@b.example or a@b.example", ["mailto:a@b.example"]],
    ["ftp://example.com javascript:alert(1) javascript://x%0aalert(1) data://x", []],
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

describe("addresses without http", () => {
  test.each<[string, string[]]>([
    ["Your parcel: bit.ly/3xYz9.", ["bit.ly/3xYz9"]],
    [
      "Bit.ly/a lnkd.in/b, (t.co/c) youtu.be/d?t=1 g.co/",
      ["Bit.ly/a", "lnkd.in/b", "t.co/c", "youtu.be/d?t=1", "g.co/"],
    ],
    ["track.dhl.de/x1y2 example.com:8443/a#b", ["track.dhl.de/x1y2", "example.com:8443/a#b"]],
    ["请访问bit.ly/x，谢谢", ["bit.ly/x"]],
    ["app: myapp://login?token=abc123 , com.acme.app+x://a", ["myapp://login?token=abc123", "com.acme.app+x://a"]],
    ["[https://b.example/x](https://b.example/x)", ["https://b.example/x", "https://b.example/x"]],
    ["[Sign in](https://b.example/x) and [this](myapp://y)", ["https://b.example/x", "myapp://y"]],
    ["[bit.ly/x](https://b.example/(y))", ["bit.ly/x", "https://b.example/(y)"]],
  ])("%j", (text, expected) => {
    expect(hrefsOf(text)).toEqual(expected);
  });

  test("are not found in ordinary text", () => {
    const corpus = `See report.py, setup.sh/tests, README.md/LICENSE and src/main.rs/x; Node.js/Express, Vue.js and ASP.NET/C#.
      Socket.IO/Redis, Python 3.12/3.13, 1.2.3/4, v2.0.1/v2.0.2, 10.0.0.1/8, 192.168.0.1:80/x, e.g./i.e., a.m./p.m., etc.
      Ann@shop.com/orders, ann.lee@x.co/y, and/or, he/she, 24/7, TCP/IP, w/o, n/a, 12.05.2026/13.05.2026, No.5/6.
      example.com, shop.io and bit.ly without a path; /etc/nginx.co/x, ./x.co/y, C:\\foo.co/x, a=b.co/x, #x.co/y, &x.co/y.
      archive.zip/x, movie.mov/y, lib.so/z, dhl.example/x1y2, host.local/x, server.internal/y, foo.invalidtld/z, $9.99/mo, 5.5/10.
      postgres://u@h/db redis://h jdbc:mysql://h s3://b/k ssh://h file:///etc/passwd ://x a:// x://`;
    expect(hrefsOf(corpus)).toEqual([]);
  });
});

test("takes time in proportion to the text", () => {
  for (const unit of ["a.", "a.b.", "x://", "a-", "](", "bit.ly/", "www.", "a@", "1.", "://"]) {
    const text = unit.repeat(200_000 / unit.length);
    expect(findTextLinks(text).length).toBeLessThanOrEqual(linkCountMax);
  }
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
