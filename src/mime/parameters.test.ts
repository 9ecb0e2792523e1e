import { describe, expect, it } from "vitest";
import { withoutComments } from "../core/mail-date.ts";
import { parseStructuredValue } from "./parameters.ts";

const read = (text: string): Record<string, string> => Object.fromEntries(parseStructuredValue(text).parameters);

describe("parseStructuredValue", () => {
  it("returns the value in lower case, without comments", () => {
    expect(parseStructuredValue(" Text/HTML (a; b) ").value).toBe("text/html");
    expect(parseStructuredValue("Text/HTML (a) ; charset=x").value).toBe("text/html");
    expect(parseStructuredValue("").value).toBe("");
    expect(parseStructuredValue("Text/HTML charset=x").value).toBe("text/html");
    expect(parseStructuredValue("text / html; charset=x").value).toBe("text / html");
  });

  it.each([
    ["tokens", "x; a=1; B=2", { a: "1", b: "2" }],
    ["blanks around names and values", "x ; a = 1 ;b= 2 ", { a: "1", b: "2" }],
    ["quoted strings", 'x; a="1; 2"; b="3"', { a: "1; 2", b: "3" }],
    ["quoted pairs of quote and backslash only", String.raw`x; a="\"\\\n"`, { a: String.raw`"\\n` }],
    ["empty values", 'x; a=; b=""', { a: "", b: "" }],
    ["text after a quoted string", 'x; a="1" junk; b=2', { a: "1", b: "2" }],
    ["stray semicolons and names without value", "x;; a ;; b=2;", { b: "2" }],
    ["no semicolon after the value", 'multipart/mixed\tboundary="b"', { boundary: "b" }],
    ["no semicolon, and blanks around the equals sign", "x a = 1; b=2", { a: "1", b: "2" }],
    ["comments in names", "x; (c) a=1", { a: "1" }],
    [
      "comments after values (RFC 2045 §5.1)",
      "x; charset=us-ascii (Plain text); b=2(c)",
      { charset: "us-ascii", b: "2" },
    ],
    [
      "parentheses in file names and boundaries",
      "x; name=a (1).pdf; boundary=(b)",
      { name: "a (1).pdf", boundary: "(b)" },
    ],
    ["the first of repeated ones", "x; a=1; a=2", { a: "1" }],
    ["a missing quote", 'x; a="1; b=2', { a: "1; b=2" }],
    ["equals signs in values", "x; a=b=c", { a: "b=c" }],
    ["encoded words", 'x; a="=?utf-8?Q?=C3=BC?="', { a: "ü" }],
    ["but not in a boundary", 'x; boundary="=?utf-8?Q?x?="', { boundary: "=?utf-8?Q?x?=" }],
    ["extended values", "x; a*=utf-8'en'%C3%BC", { a: "ü" }],
    ["extended values without charset", "x; a*=''%C3%BC", { a: "ü" }],
    ["extended values without quotes", "x; a*=%C3%BC", { a: "ü" }],
    ["malformed escapes", "x; a*=utf-8''100%;b*=utf-8''%zz", { a: "100%", b: "%zz" }],
    ["continuations", "x; a*0=1; a*1=2; a*2=3", { a: "123" }],
    ["continuations in any order", "x; a*2=3; a*0=1; a*1=2", { a: "123" }],
    ["a character split over segments", "x; a*0*=utf-8''%C3; a*1*=%BC", { a: "ü" }],
    ["encoded words split over segments", 'x; a*0="=?utf-8?Q?=C3"; a*1="=BC?="', { a: "ü" }],
    ["segments up to a gap", "x; a*0=1; a*2=3", { a: "1" }],
    ["no segment 0", "x; a*1=2", {}],
    ["invalid segment numbers", "x; a*x=2; a*9999999=3", {}],
    ["the extended form before the plain one", "x; a=1; a*=utf-8''2", { a: "2" }],
    ["names of object properties", "x; __proto__=1; constructor=2", { constructor: "2" }],
  ])("parses %s", (_what, text, expected) => {
    expect({ ...read(text) }).toMatchObject(expected);
    expect(Object.keys(read(text)).filter((name) => name !== "__proto__")).toEqual(Object.keys(expected));
  });
});

describe("withoutComments", () => {
  it.each([
    ["a (b) c", "a  c"],
    ["a (b (c) d) e", "a  e"],
    ["a (b", "a "],
    [String.raw`a (b \) (\( c)) d`, "a  d"],
    ["a) b", "a) b"],
    ["none", "none"],
  ])("turns %j into %j", (text, expected) => {
    expect(withoutComments(text)).toBe(expected);
  });
});
