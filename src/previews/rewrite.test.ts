import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { lacksOf, type Lacks } from "./lacks.ts";
import { rewriteInline, rewriteSheet } from "./rewrite-css.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import type { AddressRule } from "./write-css.ts";

const nothing: Lacks = {
  element: () => false,
  attribute: () => false,
  declaration: () => false,
  atRule: () => false,
  selector: () => false,
};
const address: AddressRule = (written, use) => (use === "image" ? `own:${written}` : null);
const plain = { lacks: nothing, address };
const outlook = { lacks: lacksOf("Outlook (Windows)"), address };
const gmail = { lacks: lacksOf("Gmail (Android)"), address };

describe("a style sheet", () => {
  test.each([
    ["p{color:red}", "p{color:red;}"],
    ["p { color : red ; margin:0 }", "p{color : red;margin:0;}"],
    ["/* a{b:c} */p{color:/* x */red}", "p{color: red;}"],
    ["@media (max-width:600px){p{color:red}}q{color:blue}", "@media (max-width:600px){p{color:red;}}q{color:blue;}"],
    [`p::before{content:"a;b}c{"}q{x:y}`, `p::before{content:"a;b}c{";}q{x:y;}`],
    [`p{background:url(a;b.png)}`, `p{background:url("own:a;b.png");}`],
    [`p{background:url( 'a)b.png' ) no-repeat}`, `p{background:url("own:a)b.png") no-repeat;}`],
    [`p{background:URL("data:image/png;base64,AA==")}`, `p{background:url("own:data:image/png;base64,AA==");}`],
    ["@import url(x.css);p{color:red}", "p{color:red;}"],
    ["@import 'x.css';p{color:red}", "p{color:red;}"],
    ["p{color:red", "p{color:red;}"],
    ["}p{color:red}", "p{color:red;}"],
    ["p{background:url(open", `p{background:url("own:open");}`],
    ["/* open", ""],
    [`p{background:\\75 rl(x)}`, `p{background:url("own:x");}`],
    [`@\\69mport "x";p{color:red}`, "p{color:red;}"],
    [`p{background:image-set("x" 1x, url(y) 2x)}`, `p{background:image-set(url("own:x") 1x, url("own:y") 2x);}`],
    [`p{--a:"x";background:image-set(var(--a) 1x)}`, `p{--a:"x";}`],
    [`p{background:src("x");background:image("x");background:cross-fade("x",red);margin:0}`, "p{margin:0;}"],
    ["@font-face{font-family:f;src:url(x)}", "@font-face{font-family:f;}"],
    ["@namespace url(x);@foo{p{color:red}}@media print{p{color:red}}", "@media print{p{color:red;}}"],
    ["p{a:/url()* 'x*/url(y)'}q{color:red}", `p{a:/url("own:")* "x*/url(y)";}q{color:red;}`],
    [`p::before{content:"</style><img src=x>&lt;"}`, `p::before{content:"\\3c /style>\\3c img src=x>\\26 lt;";}`],
    ["p{a:b\\ ;c:d}", "p{a:b\\ ;c:d;}"],
    ["p{a:b\\", "p{}"],
    ["a\\</style>{b:c}", "a\\3c /style>{b:c;}"],
    ["<!-- p{color:red} -->", "p{color:red;}"],
    ["@media (400px <= width < 600px){p{color:red}}", "@media (400px <= width <  600px){p{color:red;}}"],
  ])("%s becomes %s", (css, expected) => {
    expect(rewriteSheet(css, plain)).toBe(expected);
  });

  test("omits only declarations that the client does not support", () => {
    expect(rewriteSheet("p{color:red;border-radius:4px;margin:0}", outlook)).toBe("p{color:red;margin:0;}");
    expect(rewriteSheet("p{color:red;border-radius:4px}", gmail)).toBe("p{color:red;border-radius:4px;}");
  });

  test("omits at-rules that the client does not support, with their content", () => {
    const css = "@media (prefers-color-scheme: dark){p{color:white}@media (hover){q{x:y}}}p{color:black}";
    expect(rewriteSheet(css, gmail)).toBe("p{color:black;}");
    const apple = { lacks: lacksOf("Apple Mail (iOS)"), address };
    expect(rewriteSheet("@media (prefers-color-scheme: dark){p{color:white}}", apple)).toBe(
      "@media (prefers-color-scheme: dark){p{color:white;}}",
    );
  });

  test("omits rules with selectors that the client does not support", () => {
    expect(rewriteSheet("a:hover{color:red}a{color:blue}", outlook)).toBe("a{color:blue;}");
  });
});

describe("a style attribute", () => {
  test.each([
    ["color:red;margin:0", "color:red; margin:0"],
    ["color:red;border-radius:4px;", "color:red"],
    [
      "background:url(data:image/png;base64,AA==);color:red",
      'background:url("own:data:image/png;base64,AA=="); color:red',
    ],
    ["{color:red};margin:0", "margin:0"],
    ["", ""],
  ])("%j becomes %j", (css, expected) => {
    expect(rewriteInline(css, outlook)).toBe(expected);
  });
});

describe("HTML", () => {
  test.each([
    ["text stays, & so does <b>this</b>", "text stays, & so does <b>this</b>"],
    ["<p title='a\"b'>x</p>", '<p title="a&quot;b">x</p>'],
    [`<img src="cid:a" alt="A &amp; B">`, `<img src="own:cid:a" alt="A &amp; B">`],
    [`<img src="cid:a&amp;b">`, `<img src="own:cid:a&amp;b">`],
    [`<img src=x srcset="y 2x">`, `<img src="own:x">`],
    [`<td background=x.png>`, `<td background="own:x.png">`],
    [`<p style="background:url(x)">`, `<p style="background:url(&quot;own:x&quot;)">`],
    [`a<script>alert("</p>")</script>b`, "ab"],
    ["a<script>open", "a"],
    ["a<iframe src=x>fallback</iframe>b", "ab"],
    ["<object data=x>fallback</object>", "fallback"],
    ["<base href=x><link rel=stylesheet href=x><embed src=x>", ""],
    [`<meta http-equiv=refresh content="0;url=x"><meta charset=utf-8>`, ""],
    ["<style>p{color:red}</style>x", "<style>p{color:red;}</style>x"],
    ["<style>p{color:red}", "<style>p{color:red;}</style>"],
    ["<a href=https://x.example ping=https://y.example>x</a>", `<a href="https://x.example">x</a>`],
    ["<svg><path d='M0 0' style='a:b;'/></svg>", `<svg><path d="M0 0" style="a:b" /></svg>`],
    ["<!-- <script> --><p>x", "<p>x"],
    ["<!--[if mso]><img src=x><![endif]--><![if !mso]><p>x<![endif]>", "<p>x"],
    ["<!DOCTYPE html><html xmlns:v=x><p>x", "<!DOCTYPE html><html><p>x"],
    [`<a href="java\nscript:x">a</a><a href="javascript:x">b</a><a href="/x">c</a>`, "<a>a</a><a>b</a><a>c</a>"],
    [`<a href="https://x.example/?a=1&amp;b=2#c">a</a>`, `<a href="https://x.example/?a=1&amp;b=2#c">a</a>`],
    ["<template><img src=x><template>a</template></template>b", "b"],
    ["<noscript><p>x</noscript>", "<p>x"],
    ["<xmp><img src=x></xmp>", "<pre>&lt;img src=x&gt;</pre>"],
    ["<textarea><img src=x></textarea>", "<textarea>&lt;img src=x&gt;</textarea>"],
    ["<svg><use href='https://x.example/#a'/><use xlink:href='#a'/></svg>", `<svg><use /><use href="#a" /></svg>`],
    [
      "<svg><rect fill='url(#a)' filter='url(//x.example)'/></svg>",
      `<svg><rect fill="url(&quot;#a&quot;)" filter="url(&quot;own://x.example&quot;)" /></svg>`,
    ],
    ["<svg><style>a{b:u&#114;l(//x.example)}</style></svg>", "<svg><style>a{}</style></svg>"],
    ["<p onclick=x formaction=y foo=z data-a=b aria-label=c>x", `<p data-a="b" aria-label="c">x`],
    ["<img alt=a alt=b>", `<img alt="a">`],
    ["1 < 2 <3", "1 &lt; 2 &lt;3"],
    ["<SCRIPT>x</SCRIPT >y", "y"],
  ])("%s becomes %s", (html, expected) => {
    expect(rewriteHtml(html, plain)).toBe(expected);
  });

  test("omits elements and attributes that the client does not support, and keeps their content", () => {
    expect(rewriteHtml("<video src=x>fallback</video>", outlook)).not.toContain("<video");
    expect(rewriteHtml("<video src=x>fallback</video>", outlook)).toContain("fallback");
  });

  test("never throws and contains only allowed tags for any input", () => {
    const fragments = fc.constantFrom(
      ...`< > </ <script <style> </style> <svg> </svg> <math> <title> </title> <textarea> </textarea> <template> <xmp>
        <noscript> <img src= <a href= <p <use url( ) " ' /* */ { } ; : @media @import data: cid: https://x.example/ = a
        style= srcset= xlink:href= <!-- --> <![CDATA[ ]]> \\ & &lt; &#60; &quot; image-set( var( src( \\3c / !`.split(
        /\s+/,
      ),
      " ",
      "\n",
    );
    // Tags with quoted attributes, text, and style sheets that contain nothing with a meaning in HTML.
    const grammar =
      /^(?:<style(?: [a-z]+="[^"<>]*")*>(?:[^<]|<[ =])*<\/style>|<(?!style|script|math|template|xmp|noscript)[a-z0-9]+(?: [a-z:-]+="[^"<>]*")*(?: \/)?>|<\/[a-z0-9]+>|[^<])*$/;
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 60 }), (written) => {
        const html = rewriteHtml(written.join(""), plain);
        expect(html).toMatch(grammar);
        expect(html).not.toMatch(/<img[^>]* src="(?!own:)/);
        const css = rewriteSheet(written.join(""), plain).replaceAll(/url\("(?:own:|#)[^"]*"\)|"[^"]*"/g, "");
        expect(css).not.toMatch(/url\(|(?<!\\)@import/);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    (n: number): string => "url(".repeat(n),
    (n: number): string => `<style>${"url(".repeat(n)}`,
    (n: number): string => `<style>${"{".repeat(2 * n)}`,
    (n: number): string => `<style>${"(".repeat(2 * n)}`,
    (n: number): string => `<style>${"a:b;".repeat(n)}`,
    (n: number): string => `<style>${"/*".repeat(n)}`,
    (n: number): string => `<style>p{background:url(${" ".repeat(4 * n)}`,
    (n: number): string => `<style>${"@import url('x');".repeat(n / 4)}`,
    (n: number): string => `<style>${"image-set(".repeat(n / 4)}`,
    (n: number): string => `<p style='${'url("'.repeat(n)}'>`,
    (n: number): string => `<p style="${"background:url(x;".repeat(n / 4)}">`,
    (n: number): string => `<img srcset="${"a 1x,".repeat(n)}">`,
    (n: number): string => `<img srcset="${"a".repeat(4 * n)}">`,
    (n: number): string => `<rect fill="${"url(".repeat(n)}">`,
    (n: number): string => "<script>".repeat(n / 2),
    (n: number): string => "<template>".repeat(n / 2),
    (n: number): string => "<p style=a:b>".repeat(n / 4),
    (n: number): string => `<p ${"style=a:b ".repeat(n / 2)}>`,
    (n: number): string => `<p ${"data-a=b ".repeat(n / 2)}>`,
    (n: number): string => "<style>\"'".repeat(n / 2),
    (n: number): string => "<!--".repeat(n),
    (n: number): string => `<!doctype ${"x".repeat(4 * n)}`,
  ])("takes time linear in its length, case %#", (make) => {
    expectLinearCpu((size) => void rewriteHtml(make(size), outlook), 10_000);
  });
});
