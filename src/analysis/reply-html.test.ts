import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { withoutQuotedHtml } from "./reply-html.ts";

describe("withoutQuotedHtml removes", () => {
  test.each([
    ["a blockquote", "<p>Yes.</p><blockquote>Tuesday?</blockquote>", "<p>Yes.</p>"],
    [
      "a nested one",
      "<p>Yes.</p><blockquote>a<blockquote>b</blockquote>c</blockquote><p>End</p>",
      "<p>Yes.</p><p>End</p>",
    ],
    ["one without an end", "<p>Yes.</p><blockquote><p>Tuesday?", "<p>Yes.</p>"],
    ["the quotation of Gmail", '<div>Yes.</div><div class="gmail_quote x"><div>On …</div></div>', "<div>Yes.</div>"],
    ["the line of Thunderbird", '<div class="moz-cite-prefix">On …</div><blockquote>a</blockquote>ok', "ok"],
    [
      "all after the mark of Outlook",
      '<p>Yes.</p><div id="divRplyFwdMsg">From</div><p>Tuesday?</p></body>',
      "<p>Yes.</p>",
    ],
  ])("%s", (_title, html, expected) => {
    expect(withoutQuotedHtml(html)).toBe(expected);
  });
});

test.each(["<p>Hello</p>", "<div class=x>a</div>", "<!-- <blockquote> --><p>a</p>", "", "<b", "</blockquote>a"])(
  "withoutQuotedHtml keeps %s",
  (html) => {
    expect(withoutQuotedHtml(html)).toBe(html);
  },
);

test("withoutQuotedHtml adds nothing", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<blockquote>",
      "</blockquote>",
      "<div class=gmail_quote>",
      "<div>",
      "</div>",
      "<div id=appendonsend>",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(withoutQuotedHtml(pieces.join("")).length).toBeLessThanOrEqual(pieces.join("").length);
    }),
  );
});

test.each(["<blockquote>", "<blockquote></blockquote>", "</blockquote>", "<div class='a gmail_quote'>", "<div id=x>"])(
  "withoutQuotedHtml takes linear time for %s",
  (unit) => {
    expectLinearCpu((size) => void withoutQuotedHtml(unit.repeat(size / unit.length)), 80_000);
  },
);
