import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attributeCountMax } from "./bounds.ts";
import { scanHtml } from "./html-scanner.ts";

/** Returns the events of `html`, one string each: `<name`, `>name`, or the text itself, adjacent text joined. */
function events(html: string): string[] {
  const seen: string[] = [];
  let wasText = false;
  const add = (event: string, isText: boolean): void => {
    if (isText && wasText) seen[seen.length - 1] += event;
    else seen.push(event);
    wasText = isText;
  };
  scanHtml(html, {
    text: (start, end) => add(html.slice(start, end), true),
    open: ({ name }) => add(`<${name}`, false),
    close: (name) => add(`>${name}`, false),
  });
  return seen;
}

function attributeOfFirstTag(html: string, name: string): string | undefined {
  const values: (string | undefined)[] = [];
  scanHtml(html, { text: () => {}, open: (tag) => values.push(tag.attribute(name)), close: () => {} });
  return values[0];
}

describe("markup and text", () => {
  test.each<[string, string[]]>([
    ["a<b>c</b>d", ["a", "<b", "c", ">b", "d"]],
    ["<P CLASS=x>Hi</P >", ["<p", "Hi", ">p"]],
    ["<br/><br />", ["<br", "<br"]],
    ["1 < 2 <3 <> x", ["1 < 2 <3 <> x"]],
    ["a</>b", ["ab"]],
    ["a</ x>b", ["ab"]],
    ["<a\n\thref=x\n>y", ["<a", "y"]],
    ["<a title='>' x=\">\">y", ["<a", "y"]],
    ["<my-tag:x>y", ["<my-tag:x", "y"]],
    // Two names with the same hash.
    ["<amp><bdd><AMP></amp></bdd>", ["<amp", "<bdd", "<amp", ">amp", ">bdd"]],
  ])("%j", (html, expected) => {
    expect(events(html)).toEqual(expected);
  });
});

describe("names of tags", () => {
  test("are as written, in lower case", () => {
    const first = fc.constantFrom("a", "A", "t", "T", "h", "H", "s", "S");
    const rest = fc.string({
      unit: fc.constantFrom("d", "D", "r", "R", "1", "¢", "\u212a", "-", ":", "é"),
      maxLength: 5,
    });
    fc.assert(
      fc.property(first, rest, (start, end) => {
        const name = (start + end).toLowerCase();
        expect(events(`<${start}${end}></${start}${end}>`)).toEqual([`<${name}`, `>${name}`]);
      }),
    );
  });
});

describe("comments and declarations are skipped", () => {
  test.each<[string, string[]]>([
    ["a<!-- <b> -->c", ["ac"]],
    ["a<!-->c", ["ac"]],
    ["a<!--->c", ["ac"]],
    ["a<!-- x --!>c", ["ac"]],
    ["a<!-- - -- > -->c", ["ac"]],
    ["<!DOCTYPE html>a", ["a"]],
    ["<?xml version='1.0'?>a", ["a"]],
    ["<![if !mso]>a<![endif]>", ["a"]],
    ["<!--[if mso]><p>x</p><![endif]-->a", ["a"]],
    ["<script>if (a<b) '</b>'</script>c", ["<script", ">script", "c"]],
    ["<style>p{color:#123456}</STYLE >c", ["<style", ">style", "c"]],
    ["<title>&lt;b></title>c", ["<title", ">title", "c"]],
    ["<textarea><b></textarea>c", ["<textarea", ">textarea", "c"]],
    ["<style></styles></style>c", ["<style", ">style", "c"]],
    ["<STYLE><b></style><Style><i></Style><b>c", ["<style", ">style", "<style", ">style", "<b", "c"]],
    ["<style/>a</style><b>c", ["<style", ">style", "<b", "c"]],
  ])("%j", (html, expected) => {
    expect(events(html)).toEqual(expected);
  });
});

describe("unfinished markup extends to the end", () => {
  test.each<[string, string[]]>([
    ["a<!-- b <c>", ["a"]],
    ["a<b c='d>e", ["a"]],
    ["a<b c", ["a"]],
    ["a</b c", ["a"]],
    ["a<script>b", ["a", "<script"]],
    ["a<", ["a<"]],
    ["", []],
  ])("%j", (html, expected) => {
    expect(events(html)).toEqual(expected);
  });
});

describe("attributes", () => {
  test.each<[string, string, string | undefined]>([
    ['<a href="x y">', "href", "x y"],
    ["<a href='x\"y'>", "href", 'x"y'],
    ["<a href=x/y?z>", "href", "x/y?z"],
    ["<a HREF=x>", "href", "x"],
    ["<a href = 'x'>", "href", "x"],
    ['<a href="x"title="y">', "title", "y"],
    ["<a hidden>", "hidden", ""],
    ["<a hidden/>", "hidden", ""],
    ["<a data-href=x>", "href", undefined],
    ['<a href="1" href="2">', "href", "1"],
    ["<a =x href=y>", "href", "y"],
    ['<a href="&amp;">', "href", "&amp;"],
    ["<a>", "href", undefined],
  ])("%j: %s is %j", (html, name, expected) => {
    expect(attributeOfFirstTag(html, name)).toBe(expected);
  });

  test(`are read up to the first ${attributeCountMax} of a tag`, () => {
    const fill = (count: number): string => Array.from({ length: count }, (_, index) => `x${index}=1`).join(" ");
    expect(attributeOfFirstTag(`<a ${fill(attributeCountMax - 1)} href=y>`, "href")).toBe("y");
    expect(attributeOfFirstTag(`<a ${fill(attributeCountMax)} href=y>`, "href")).toBeUndefined();
  });

  test("belong to one tag only", () => {
    const values: (string | undefined)[] = [];
    scanHtml("<a href=x><a>", { text: () => {}, open: (tag) => values.push(tag.attribute("href")), close: () => {} });
    expect(values).toEqual(["x", undefined]);
  });
});
