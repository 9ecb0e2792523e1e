import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { flattenHtml } from "./flatten-html.ts";

describe("flattenHtml returns HTML within the limit unchanged", () => {
  test.each([
    ["", 1],
    ["text only < and > &lt;", 1],
    ["<div><b>x</b></div>", 2],
    ["<p>a<p>b<p>c<br><img src=x><li>d<li>e", 1],
    ["<table><tr><td>1<td>2<tr><td>3</table>".repeat(50), 3],
    ["<table><tbody><tr><td>1</td></tr><tfoot><tr><td>2</table>".repeat(50), 4],
    ["<!-- <b><b><b> --><b>x</b>", 1],
    ["<style>a>b{content:'<b><b>'}</style><b>x</b>", 1],
    [`<a title="</a><b><b>">x</a>`, 1],
    ["<div><i>left open</div>".repeat(100), 2],
    ["<DIV></div>".repeat(100), 1],
    ["<div><constructor></constructor><__proto__></__proto__></div>", 2],
  ])("case %#", (html, depthMax) => {
    expect(flattenHtml(html, depthMax)).toBe(html);
  });
});

describe("flattenHtml removes deeper tags and keeps their content", () => {
  test.each([
    ["<a><b>x</b></a>", 1, "<a>x</a>"],
    ["<div>1<div>2<div>3</div>4</div>5</div>6", 2, "<div>1<div>234</div>5</div>6"],
    ["<table><tr><td><table><tr><td>x</table>y</table>", 3, "<table><tr><td>xy</table>"],
    ["<b>".repeat(1000), 3, "<b><b><b>"],
    ["<table><tr><td></x>".repeat(1000), 6, "<table><tr><td></x><table><tr><td></x>"],
    ["<div><table><tr><td></div>".repeat(1000), 4, "<div><table><tr><td></div>"],
  ])("case %#", (html, depthMax, flat) => {
    expect(flattenHtml(html, depthMax)).toBe(flat);
  });
});

test.each(["<table><tr><td>", "<b><i>", '<a b="', "<!--", "<style>", "<b></i></i></i>", "<"])(
  "takes time linear in the HTML: %s",
  (unit) => {
    expectLinearCpu((size) => void flattenHtml(unit.repeat(size), 100), 15_000);
  },
);

test("removes nothing but tags from any HTML", () => {
  const fragment = fc.constantFrom(
    "<b>",
    "</b>",
    "<td>",
    "<table>",
    "</table>",
    "<!--",
    "-->",
    '<a x="',
    '">',
    "<style>",
    "x",
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), fc.nat(4), (fragments, depthMax) => {
      const html = fragments.join("");
      const flat = flattenHtml(html, depthMax);
      let at = 0;
      for (const character of flat) at = html.indexOf(character, at) + 1 || Number.NaN;
      expect(at).not.toBeNaN();
      expect(flattenHtml(html, 1000)).toBe(html);
    }),
  );
});
