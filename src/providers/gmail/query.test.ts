import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailpitAnyText as anyText } from "../../core/search/build-expression.ts";
import { and, isWithinLimits, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";
import { readQuery } from "./query.ts";

const now = Date.UTC(2026, 10, 20, 10, 30);
const labelled = (tag: string): SearchExpression => ({ kind: "tag", tag });
const parse = (query: string) => readQuery(query, { now, labelled });
const from = (term: string): SearchExpression => ({ kind: "part", part: "from", term });
const to = (term: string): SearchExpression =>
  or(...(["to", "cc", "bcc"] as const).map((part) => ({ kind: "part" as const, part, term })));
const subject = (term: string): SearchExpression => ({ kind: "text", field: "subject", term });
const received = (bounds: { readonly from?: number; readonly before?: number }): SearchExpression => ({
  kind: "received",
  from: null,
  before: null,
  ...bounds,
});
const dayMs = 86_400_000;

describe("a query of Gmail", () => {
  test.each<readonly [string, SearchExpression]>([
    ["", and()],
    ["dinner", anyText("dinner")],
    ['"dinner and movie"', anyText("dinner and movie")],
    ["from:Amy", from("amy")],
    ["from:me to:me", and(labelled("SENT"), labelled("INBOX"))],
    ["to:a@b.example", to("a@b.example")],
    ["subject:dinner", subject("dinner")],
    ['subject:"dinner and movie"', subject("dinner and movie")],
    ["subject:(dinner movie)", and(subject("dinner"), subject("movie"))],
    ["from:(amy OR david)", or(from("amy"), from("david"))],
    ["from:amy OR from:david subject:x", and(or(from("amy"), from("david")), subject("x"))],
    ["{from:amy from:david}", or(from("amy"), from("david"))],
    ["from:{amy david} AND subject:x", and(or(from("amy"), from("david")), subject("x"))],
    ["-from:amy -(subject:a subject:b)", and(not(from("amy")), not(and(subject("a"), subject("b"))))],
    ["dinner -movie", and(anyText("dinner"), not(anyText("movie")))],
    ["has:attachment", { kind: "present", part: "attachment" }],
    ["has:drive", or()],
    [
      "filename:pdf",
      or({ kind: "part", part: "attachment", term: "pdf" }, { kind: "part", part: "inline", term: "pdf" }),
    ],
    ["after:2026/11/20", received({ from: Date.UTC(2026, 10, 20, 8) })],
    [
      "before:2026/11/20 newer:1763600000",
      and(received({ before: Date.UTC(2026, 10, 20, 8) }), received({ from: 1_763_600_000_000 })),
    ],
    ["older:2026-07-01", received({ before: Date.UTC(2026, 6, 1, 7) })],
    ["newer_than:2d", received({ from: now - 2 * dayMs })],
    ["older_than:1y", received({ before: now - 365 * dayMs })],
    ["older_than:3m", received({ before: now - 90 * dayMs })],
    ["label:work in:trash is:starred", and(labelled("work"), labelled("trash"), labelled("starred"))],
    ["is:unread is:read", and(labelled("unread"), not(labelled("UNREAD")))],
    ["category:social", labelled("CATEGORY_social")],
    ["in:anywhere", { kind: "always" }],
    ["larger:10M", { kind: "size", comparison: "larger", bytes: 10 * 2 ** 20 }],
    [
      "size:1000 smaller:2k",
      and({ kind: "size", comparison: "larger", bytes: 1000 }, { kind: "size", comparison: "smaller", bytes: 2048 }),
    ],
    ["rfc822msgid:<a@b>", { kind: "part", part: "messageId", term: "<a@b>" }],
    ["deliveredto:Zoe@Shop.example", { kind: "key", role: "to", key: "zoe@shop.example" }],
    ["https://x.example/a", anyText("https://x.example/a")],
    ["after:soon older_than:x larger:big dinner", anyText("dinner")],
    ["(dinner", anyText("dinner")],
    [") dinner )", anyText("dinner")],
    ["OR dinner OR", anyText("dinner")],
  ])("%s is understood", (query, expected) => {
    expect(parse(query).expression).toEqual(expected);
  });

  test.each([
    ["in:anywhere", true],
    ["label:TRASH", true],
    ["in:spam", true],
    ["is:unread", false],
    ["spam", false],
  ])("%s says where to search: %s", (query, namesPlace) => {
    expect(parse(query).namesPlace).toBe(namesPlace);
  });

  test("has a bounded number of terms and depth", () => {
    expect(() => parse("a ".repeat(112))).toThrow("too many terms");
    expect(isWithinLimits(parse("a ".repeat(111)).expression)).toBe(true);
    expect(() => parse(`${"(".repeat(9)}a`)).toThrow("too many nested parentheses");
    expect(parse(`${"(".repeat(8)}a`).expression).toEqual(anyText("a"));
  });

  test("reads any characters within the limits of stores", () => {
    const pieces = fc.constantFrom(
      "(",
      ")",
      "{",
      "}",
      '"',
      "-",
      " ",
      ":",
      "a",
      "1",
      "from:",
      "is:",
      "OR ",
      "after:",
      "ß",
    );
    const queries = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join("")),
      fc.string({ unit: codePoint }),
    );
    fc.assert(
      fc.property(queries, (query) => {
        try {
          return isWithinLimits(parse(query).expression);
        } catch (error) {
          return (error as Error).message.startsWith("Invalid query: too many");
        }
      }),
    );
  });
});
