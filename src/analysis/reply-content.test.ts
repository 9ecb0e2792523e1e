import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { allocatedBytes } from "../testing/allocated-bytes.test-aid.ts";
import { replyLineCountMax } from "./bounds.ts";
import { splitReply, withoutQuotedHtml } from "./reply-content.ts";

const own = "Yes, Tuesday is fine.";
const quotation = "> Is Tuesday fine?\n> Ada";

describe("splitReply removes", () => {
  test.each([
    ["a quotation", `${own}\n\n${quotation}`],
    ["nested quotations", `${own}\n> > first\n> second`],
    [
      "the line before a quotation",
      `${own}\n\nOn Fri, Nov 20, 2026 at 10:42 AM Ada <ada@shop.example> wrote:\n\n${quotation}`,
    ],
    [
      "one that is wrapped",
      `${own}\n\nOn Fri, 20 Nov 2026 at 10:42, Ada Lovelace\n<ada@shop.example> wrote:\n${quotation}`,
    ],
    ["a German one", `${own}\n\nAm 20.11.2026 um 10:42 schrieb Ada Lovelace:\n${quotation}`],
    ["a French one", `${own}\n\nLe ven. 20 nov. 2026 à 10:42, Ada <ada@shop.example> a écrit :\n\n${quotation}`],
    ["a Spanish one", `${own}\n\nEl vie, 20 nov 2026 a las 10:42, Ada (<ada@shop.example>) escribió:\n${quotation}`],
    ["one that starts with the date", `${own}\n\n2026-11-20 10:42 GMT+01:00 Ada <ada@shop.example>:\n\n${quotation}`],
    ["an original message", `${own}\n\n-----Original Message-----\nFrom: Ada\nIs Tuesday fine?`],
    ["a German original message", `${own}\n\n-----Ursprüngliche Nachricht-----\nVon: Ada\nGeht Dienstag?`],
    [
      "a quoted header section",
      `${own}\n\nFrom: Ada <ada@shop.example>\nSent: Friday, 20 November 2026 10:42\n\nTuesday?`,
    ],
    ["one in bold", `${own}\n\n*From:* Ada <ada@shop.example>\n*Sent:* Friday\n*To:* Grace\n\nTuesday?`],
  ])("%s", (_title, text) => {
    expect(splitReply(text)).toEqual({ text: own, signature: "" });
    expect(splitReply(text.replaceAll("\n", "\r\n"))).toEqual({ text: own, signature: "" });
  });
});

describe("splitReply keeps", () => {
  test.each([
    ["text between quotations", "> Tuesday?\nYes.\n> At ten?\nNo, at nine.", "Yes.\nNo, at nine."],
    [
      "a From line in the text",
      "From: the beginning to the end\nit was fine",
      "From: the beginning to the end\nit was fine",
    ],
    ["an ordinary line with a colon", "On Tuesday I need two things:\n- tea", "On Tuesday I need two things:\n- tea"],
    ["a text without quotations", "Hello\n\nworld", "Hello\n\nworld"],
    ["a comparison", "I mean a > b", "I mean a > b"],
    ["an empty text", "", ""],
  ])("%s", (_title, text, expected) => {
    expect(splitReply(text)).toEqual({ text: expected, signature: "" });
  });
});

describe("splitReply separates", () => {
  test.each([
    ["a signature", `${own}\n\n-- \nGrace\nShop`, "-- \nGrace\nShop"],
    ["a signature before a quotation", `${own}\n-- \nGrace\n\n${quotation}`, "-- \nGrace"],
    ["the line of a phone", `${own}\n\nSent from my iPhone\n\n${quotation}`, "Sent from my iPhone"],
    ["a German one", `${own}\n\nVon meinem iPhone gesendet`, "Von meinem iPhone gesendet"],
    ["that of Outlook", `${own}\n\nGet Outlook for iOS`, "Get Outlook for iOS"],
  ])("%s", (_title, text, signature) => {
    expect(splitReply(text)).toEqual({ text: own, signature });
  });
});

test("every line of the result is a line of the text", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("> a", "-- ", "On x wrote:", "From: a", "Sent: b", "-----Original Message-----"),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const { text, signature } = splitReply(lines.join("\n"));
      const all = new Set(
        lines
          .join("\n")
          .split(/\r\n|\n|\r/)
          .map((one) => one.trim()),
      );
      for (const one of `${text}\n${signature}`.split("\n"))
        expect(one.trim() === "" || all.has(one.trim())).toBe(true);
    }),
  );
});

test("long lines are text", () => {
  const long = `On ${"x".repeat(100_000)} wrote:`;
  expect(splitReply(`${long}\n> quoted`).text).toBe(long);
});

test.each([
  "On a\n",
  "From: a\n",
  "a <a@b> ",
  "On x wrote:\n",
  `Am ${"schrieb ".repeat(45)}:\n`,
  "> \n",
  "sent from my ",
])("splitReply takes linear time for %j", (unit) => {
  expectLinearCpu((size) => void splitReply(unit.repeat(size / unit.length)), 40_000);
});

test("leaves out the lines after replyLineCountMax", () => {
  const lines = Array.from({ length: replyLineCountMax }, () => "a");
  expect(splitReply([...lines.slice(1), "end"].join("\n")).text.endsWith("\nend")).toBe(true);
  expect(splitReply([...lines, "end"].join("\n")).text.endsWith("\na")).toBe(true);
});

test.each(["\n", "\r", "\r\n", "> \n", "-- \n"])("reads a bounded part of 48 MB of %j", async (line) => {
  const text = Buffer.alloc(48 * 1024 * 1024, line).toString();
  expect(await allocatedBytes(() => splitReply(text))).toBeLessThan(64 * 1024 * 1024);
});

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
