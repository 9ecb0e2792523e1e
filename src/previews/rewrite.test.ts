import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lacksOf, type Lacks } from "./lacks.ts";
import { rewriteInline, rewriteSheet } from "./rewrite-css.ts";
import { rewriteHtml } from "./rewrite-html.ts";

const nothing: Lacks = {
  element: () => false,
  attribute: () => false,
  declaration: () => false,
  atRule: () => false,
  selector: () => false,
};
const imageUrl = (written: string): string => `own:${written}`;
const plain = { lacks: nothing, imageUrl };
const outlook = { lacks: lacksOf("Outlook (Windows)"), imageUrl };
const gmail = { lacks: lacksOf("Gmail (Android)"), imageUrl };

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
    ["p{color:red", "p{color:red;"],
    ["}p{color:red}", "p{color:red;}"],
    ["p{background:url(open", "p{background:;"],
    ["/* open", ""],
  ])("%s comes out as %s", (css, expected) => {
    expect(rewriteSheet(css, plain)).toBe(expected);
  });

  test("loses the declarations that the program lacks, and keeps their neighbours", () => {
    expect(rewriteSheet("p{color:red;border-radius:4px;margin:0}", outlook)).toBe("p{color:red;margin:0;}");
    expect(rewriteSheet("p{color:red;border-radius:4px}", gmail)).toBe("p{color:red;border-radius:4px;}");
  });

  test("loses at-rules that the program lacks with all that is in them", () => {
    const css = "@media (prefers-color-scheme: dark){p{color:white}@media (hover){q{x:y}}}p{color:black}";
    expect(rewriteSheet(css, gmail)).toBe("p{color:black;}");
    const apple = { lacks: lacksOf("Apple Mail (iOS)"), imageUrl };
    expect(rewriteSheet("@media (prefers-color-scheme: dark){p{color:white}}", apple)).toBe(
      "@media (prefers-color-scheme: dark){p{color:white;}}",
    );
  });

  test("loses rules whose selector the program lacks", () => {
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
    ["{color:red}", "{color:red}"],
    ["", ""],
  ])("%j comes out as %j", (css, expected) => {
    expect(rewriteInline(css, outlook)).toBe(expected);
  });
});

describe("HTML", () => {
  test.each([
    ["text stays, & so does <b>this</b>", "text stays, & so does <b>this</b>"],
    ["<p title='a\"b'>x</p>", "<p title='a\"b'>x</p>"],
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
    [`<meta http-equiv=refresh content="0;url=x"><meta charset=utf-8>`, "<meta charset=utf-8>"],
    ["<style>p{color:red}</style>x", "<style>p{color:red;}</style>x"],
    ["<style>p{color:red}", "<style>p{color:red;}"],
    ["<a href=https://x.example ping=https://y.example>x</a>", `<a href="https://x.example">x</a>`],
    ["<svg><path d='M0 0' style='a:b;'/></svg>", `<svg><path d="M0 0" style="a:b" /></svg>`],
    ["<!-- <script> --><p>x", "<!-- <script> --><p>x"],
    ["<SCRIPT>x</SCRIPT >y", "y"],
  ])("%s comes out as %s", (html, expected) => {
    expect(rewriteHtml(html, plain)).toBe(expected);
  });

  test("loses elements and attributes that the program lacks, and keeps what they hold", () => {
    expect(rewriteHtml("<video src=x>fallback</video>", outlook)).not.toContain("<video");
    expect(rewriteHtml("<video src=x>fallback</video>", outlook)).toContain("fallback");
  });

  test("whatever comes, rewriting does not throw, and leaves neither script nor foreign images", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      "</",
      "<script",
      "<style>",
      "</style>",
      "<img src=",
      "url(",
      ")",
      '"',
      "'",
      "/*",
      "*/",
      "{",
      "}",
      ";",
      "@media",
      "@import",
      "data:",
      "cid:",
      "https://x.example/",
      " ",
      "=",
      "a",
      "style=",
      "<!--",
      "-->",
      "\\",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (written) => {
        const html = rewriteHtml(written.join(""), outlook);
        // What stands in a style sheet begins no element (HTML Standard §13.2.5.4).
        expect(html.replaceAll(/<style>[^]*?(?:<\/style|$)/g, "")).not.toMatch(/<script[\s>]/i);
        expect(html).not.toMatch(/<img[^>]* src="(?!own:)/);
      }),
    );
  });

  test.each([
    ["url(".repeat(400_000)],
    [`<style>${"url(".repeat(400_000)}`],
    [`<style>${"{".repeat(1_000_000)}`],
    [`<style>${"a:b;".repeat(400_000)}`],
    [`<style>${"/*".repeat(800_000)}`],
    [`<style>p{background:url(${" ".repeat(1_500_000)}`],
    [`<p style='${'url("'.repeat(300_000)}'>`],
    [`<p style="${"background:url(x;".repeat(100_000)}">`],
    ["<script>".repeat(200_000)],
    ["<p style=a:b>".repeat(100_000)],
    [`<p ${"style=a:b ".repeat(150_000)}>`],
    ['<style>"'.repeat(200_000)],
  ])("takes time linear in its length, case %#", (html) => {
    const start = performance.now();
    rewriteHtml(html, outlook);
    expect(performance.now() - start).toBeLessThan(4000);
  });
});
