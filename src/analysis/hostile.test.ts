import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { analyseHtml } from "./analyse-html.ts";
import { analyseText } from "./analysed-text.ts";
import { asTyped } from "./codes/typing.ts";
import { summarise } from "./summarise.ts";
import { codePoint } from "../testing/code-point.test-aid.ts";

const fragment = fc.oneof(
  fc.constantFrom(
    "<a href='",
    '<a href="x">',
    "</a>",
    "<img src=y>",
    "<p hidden>",
    "</p>",
    "<td style='display:none'>",
    "</td>",
  ),
  fc.constantFrom(
    "<table>",
    "</table>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<pre>",
    "</pre>",
    "<",
    ">",
    "&",
    "&amp;",
    "&zwnj;",
  ),
  fc.constantFrom(
    "Your code is ",
    "804219",
    "6 0 1 9",
    "X7K9QZ",
    "G-482913",
    "order ",
    "https://a.example/482910 ",
    "\n",
    "\t",
    " ",
  ),
  fc.string({ unit: codePoint, maxLength: 12 }),
);
const body = fc.array(fragment, { maxLength: 60 }).map((fragments) => fragments.join(""));

function isSubsequence(characters: string, text: string): boolean {
  let position = -1;
  for (const character of characters) {
    position = text.indexOf(character, position + 1);
    if (position < 0) return false;
  }
  return true;
}

describe("analysis of any body", () => {
  test("never throws and returns the same result for repeated calls", () => {
    fc.assert(
      fc.property(body, (text) => {
        expect(analyseHtml(text)).toEqual(analyseHtml(text));
        expect(analyseText(text)).toEqual(analyseText(text));
        expect(typeof summarise(text)).toBe("string");
      }),
    );
  });

  test("lists each code once, with its characters in the order of the visible text", () => {
    fc.assert(
      fc.property(body, (text) => {
        const { codes, visibleText } = analyseHtml(text);
        const values = codes.map(({ value }) => value);
        expect(values.filter((value) => !isSubsequence(value, asTyped(`${visibleText}\n`) + visibleText))).toEqual([]);
        expect(new Set(values).size).toBe(values.length);
        expect(values.filter((value) => !/^[A-Za-z0-9-]{4,14}$/.test(value))).toEqual([]);
      }),
    );
  });

  test("writes one separator at a time and none at the ends of the visible text", () => {
    fc.assert(
      fc.property(body, (text) => {
        const { visibleText } = analyseHtml(text);
        expect(visibleText).toBe(visibleText.trim());
        expect(visibleText).not.toMatch(/[ \t\n]{2}|[\r\u00a0\u200b\u00ad\ufeff]/);
      }),
    );
  });

  test("collapses white space across inline elements as if they were not there", () => {
    const piece = fc.constantFrom(
      "word",
      "a",
      " ",
      "  ",
      "\n",
      "\t",
      "\r\n",
      "&nbsp;",
      "&#32;",
      "\u00a0",
      "\u3000",
      "é",
      "x  y",
    );
    const tag = fc.constantFrom("<b>", "</b>", "<a href=x>", "</a>", "<!-- c -->", "");
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, tag), { maxLength: 20 }), (pieces) => {
        const written = pieces.map(([text]) => text.replace(/&.*;/, " ")).join("");
        expect(analyseHtml(pieces.flat().join("")).visibleText).toBe(written.replace(/\s+/g, " ").trim());
      }),
    );
  });

  test("returns its visible text unchanged when that is analysed as HTML, except for markup characters", () => {
    fc.assert(
      fc.property(body, (text) => {
        const plain = analyseHtml(text).visibleText.replace(/[<&]/g, "");
        const lines = plain.split("\n").map((line) => line.replaceAll("\t", " ").trim());
        const html = lines.map((line) => `<p>${line}</p>`).join("");
        const expected = lines.filter((line) => line !== "").join("\n");
        expect(analyseHtml(html).visibleText).toBe(expected.replace(/ {2,}/g, " "));
      }),
    );
  });

  test("lists links of a text verbatim", () => {
    fc.assert(
      fc.property(body, (text) => {
        for (const { href } of analyseText(text).links) expect(text).toContain(href);
      }),
    );
  });
});

describe("addresses", () => {
  const token = fc.oneof(
    fc.integer({ min: 1000, max: 9_999_999_999 }).map(String),
    fc.stringMatching(/^[A-Z0-9]{4,10}$/),
  );
  const address = fc.oneof(
    fc.tuple(
      fc.constantFrom("https://a.example/", "http://a.example/?code=", "www.a.example/verify/", "app://open/"),
      token,
    ),
    fc.tuple(fc.constantFrom("a.example/", "a.example/x?code=", "a@b.example/"), token),
    fc.tuple(token, fc.constant("@a.example")),
  );
  test.each(["Your code is ", "Enter the code: ", "PIN\n", "验证码"])("contain no codes, even after %j", (before) => {
    fc.assert(
      fc.property(address, (parts) => {
        expect(analyseText(`${before}${parts.join("")}`).codes).toEqual([]);
        expect(analyseHtml(`<p>${before}${parts.join("")}</p>`).codes).toEqual([]);
      }),
    );
  });
});

describe("analysis takes time linear in its input", () => {
  const html = (text: string): unknown => analyseHtml(text);
  const text = (written: string): unknown => analyseText(written);
  test.each<[string, (body: string) => unknown, (count: number) => string]>([
    ["nested elements", html, (count) => "<div>".repeat(count)],
    ["nested elements and stray end tags", html, (count) => "<div>".repeat(count) + "</x></p>".repeat(count)],
    ["nested cells", html, (count) => "<table><tr><td>".repeat(count)],
    ["hidden elements", html, (count) => '<p style="display:none">'.repeat(count)],
    ["less-than signs", html, (count) => "<".repeat(count * 4)],
    ["unfinished comments", html, (count) => "<!--".repeat(count)],
    ["unfinished attributes", html, (count) => "<a href='".repeat(count)],
    ["unfinished scripts", html, (count) => "<script>".repeat(count)],
    ["an endless attribute", html, (count) => `<a href="${"a".repeat(count * 50)}">x</a>`],
    ["an attribute of references", html, (count) => `<a href="${"&x;".repeat(count)}">x</a>`],
    ["unknown references", html, (count) => "<b>&x;</b>".repeat(count)],
    ["anchors", html, (count) => "<a href=x>y".repeat(count)],
    ["numbers in cells", html, (count) => "<td>482910".repeat(count)],
    ["white space between tags", html, (count) => `<b>${" \n".repeat(4)}`.repeat(count)],
    ["white space", html, (count) => " \n".repeat(count * 4)],
    ["white space around blanks", html, (count) => `${" ".repeat(count)}&nbsp;${" ".repeat(count)}`],
    ["anchors with text between them", html, (count) => "<a href=x>y</a> z<br>".repeat(count)],
    ["styles", html, (count) => '<p style="display:nonf;visibility:hiddem;opacity:1">'.repeat(count)],
    ["a preheader's padding", html, (count) => "&zwnj;&nbsp;".repeat(count)],
    ["one long word", text, (count) => "a".repeat(count * 10)],
    ["one long number", text, (count) => "1".repeat(count * 10)],
    ["digits apart", text, (count) => "1 ".repeat(count * 2)],
    ["codes without an end", text, (count) => "code 482910 ".repeat(count)],
    ["codes on lines", text, (count) => "482910\n".repeat(count)],
    ["at signs", text, (count) => "@".repeat(count * 4)],
    ["words before an at sign", text, (count) => `${"abc".repeat(count * 2)}@`],
    ["an address of brackets", text, (count) => `http://x/${")".repeat(count * 4)}`],
    ["addresses", text, (count) => "http://".repeat(count * 2)],
    ["capitals", text, (count) => "ABCD ".repeat(count)],
    ["hyphens", text, (count) => "1-".repeat(count * 2)],
    ["stars", text, (count) => `${"*".repeat(count * 4)}1${"*".repeat(count * 4)}`],
    ["blank lines", text, (count) => `${"\n".repeat(count * 4)}482910`],
    ["joiners", text, (count) => "\u200c\u200d".repeat(count)],
    ["a script without spaces", text, (count) => "验证码".repeat(count)],
  ])("%s", (_, analyse, bodyOf) => {
    expectLinearCpu((size) => void analyse(bodyOf(size)), 2500);
  });
});
