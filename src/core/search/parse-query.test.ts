import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery, queryTermCountMax, similarOperator, type QueryDialect } from "./parse-query.ts";
import { and, hasTerm, isWithinLimits, not, or, type SearchExpression } from "./search-expression.ts";
import { anyText, mailpitAnyText } from "./build-expression.ts";

const now = Date.UTC(2026, 10, 20, 10, 30);
const parse = (query: string, dialect: QueryDialect = "restante", timeZone?: string) =>
  parseQuery(query, { now, dialect, timeZone });
const part = (name: "from" | "to" | "cc" | "replyTo", term: string): SearchExpression => ({
  kind: "part",
  part: name,
  term,
});
const subject = (term: string): SearchExpression => ({ kind: "text", field: "subject", term });

describe("a query", () => {
  test.each<readonly [string, SearchExpression]>([
    ["", and()],
    ["Alice", anyText("alice")],
    ["a b", and(anyText("a"), anyText("b"))],
    ['"a b"', anyText("a b")],
    ['"from:a"', anyText("from:a")],
    ["from:Alice", part("from", "alice")],
    ['subject:"Your Code"', subject("your code")],
    ["FROM:x -to:y !cc:z", and(part("from", "x"), not(part("to", "y")), not(part("cc", "z")))],
    ["from:a OR from:b to:c", or(part("from", "a"), and(part("from", "b"), part("to", "c")))],
    ["(from:a OR from:b) AND to:c", and(or(part("from", "a"), part("from", "b")), part("to", "c"))],
    ["-(from:a to:b)", not(and(part("from", "a"), part("to", "b")))],
    ["(subject:f(x) to:b)", and(subject("f(x)"), part("to", "b"))],
    [":)", anyText(":)")],
    ["(from:a", part("from", "a")],
    ["from:a OR", part("from", "a")],
    ["from:", and()],
    ["-", anyText("-")],
    ["12:30", anyText("12:30")],
    ["https://x.test/?a=b", anyText("https://x.test/?a=b")],
    ["is:unread", not({ kind: "flag", flag: "seen" })],
    ["-is:unread", { kind: "flag", flag: "seen" }],
    ["has:attachments", { kind: "present", part: "attachment" }],
    ["has:code", { kind: "present", part: "code" }],
    ["code:X7K", { kind: "part", part: "code", term: "x7k" }],
    ["tag:Red", { kind: "tag", tag: "red" }],
    ["type:sms", { kind: "type", type: "SMS" }],
    ["larger:1.5k", { kind: "size", comparison: "larger", bytes: 1536 }],
    ["smaller:2MB", { kind: "size", comparison: "smaller", bytes: 2 ** 21 }],
    ["after:2h", { kind: "received", from: now - 7_200_000, before: null }],
    ["before:yesterday", { kind: "received", from: null, before: Date.UTC(2026, 10, 19) }],
    ["after:2026-11-20", { kind: "received", from: Date.UTC(2026, 10, 20), before: null }],
    ["after:2026/1/2", { kind: "received", from: Date.UTC(2026, 0, 2), before: null }],
    ["after:2026-11-20T10:00:05+01:00", { kind: "received", from: Date.UTC(2026, 10, 20, 9, 0, 5), before: null }],
    ['after:"20 Nov 2026"', { kind: "received", from: Date.UTC(2026, 10, 20), before: null }],
    ["provider:SendGrid", { kind: "key", role: "provider", key: "sendgrid" }],
  ])("%s is understood", (query, expected) => {
    const { expression, problems } = parse(query);
    expect({ expression, problems }).toEqual({ expression: expected, problems: [] });
  });

  test.each([
    [
      "after:soon",
      0,
      'after: takes a date such as 2026-11-20, today, yesterday, or a duration such as 2h or 7d, not "soon"',
    ],
    ["a after:2026-02-30", 2, "2026-02-30"],
    ["a  larger:big", 3, "larger: takes a size such as 500, 20k or 1.5M"],
    ["is:nice", 0, "is: takes read, unread, tagged"],
    ["number:none", 0, "number: takes a phone number"],
  ])("%s names the wrong value at %s", (query, start, description) => {
    const [problem] = parse(query).problems;
    expect(problem?.start).toBe(start);
    expect(problem?.description).toContain(description);
    expect(problem?.description).toContain(`at character ${start + 1}`);
  });

  test("finds codes that are shown in groups", () => {
    const bodies = JSON.stringify(parse("804219").expression);
    for (const code of ["804219", "804 219", "804-219", "8 0 4 2 1 9"]) expect(bodies).toContain(`"${code}"`);
    expect(hasTerm(parse("words").expression, "received")).toBe(false);
    expect(JSON.stringify(parse("words").expression)).not.toContain("wor ds");
  });

  test("reads dates in a time zone, also where clocks change", () => {
    const from = (query: string, zone: string) => parse(query, "restante", zone).expression;
    expect(from("after:2026-11-20", "Europe/Berlin")).toMatchObject({ from: Date.UTC(2026, 10, 19, 23) });
    expect(from("after:2026-07-01", "America/New_York")).toMatchObject({ from: Date.UTC(2026, 6, 1, 4) });
    expect(from("after:today", "Pacific/Auckland")).toMatchObject({ from: Date.UTC(2026, 10, 19, 11) });
    expect(from('after:"2026-03-29 12:00"', "Europe/Berlin")).toMatchObject({ from: Date.UTC(2026, 2, 29, 10) });
  });

  test("tells what each term means, and where it is", () => {
    expect(parse('x -from:"Al B"').terms).toEqual([
      { text: "x", start: 0, end: 1, isNegated: false, operator: null, value: "x", meaning: '"x" occurs anywhere' },
      {
        text: "from:Al B",
        start: 2,
        end: 14,
        isNegated: true,
        operator: "from",
        value: "Al B",
        meaning: 'sender contains "Al B"',
      },
    ]);
    expect([similarOperator("form:a"), similarOperator("12:30"), similarOperator("fromage")]).toEqual([
      "from",
      undefined,
      undefined,
    ]);
  });

  test("has a bounded number of terms and depth", () => {
    expect(parse("a ".repeat(queryTermCountMax)).problems).toEqual([]);
    expect(parse("a ".repeat(queryTermCountMax + 1)).problems).toHaveLength(1);
    expect(parse(`${"(".repeat(8)}a`).problems).toEqual([]);
    expect(parse(`${"(".repeat(9)}a`).problems).toHaveLength(1);
    expect(parse(`${"-(".repeat(5000)}a`).problems).toHaveLength(1);
  });

  test("parses any characters within the limits of stores", () => {
    const characters = fc.constantFrom(
      "(",
      ")",
      '"',
      "-",
      "!",
      " ",
      ":",
      "a",
      "1",
      "k",
      "is:",
      "from:",
      "OR ",
      "after:",
      "\u00a0",
      "ß",
    );
    const queries = fc.array(characters, { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        fc.oneof(queries, fc.string()),
        fc.constantFrom("restante" as const, "mailpit" as const),
        (query, dialect) => {
          const { expression, terms } = parse(query, dialect);
          return isWithinLimits(expression) && terms.every(({ start, end }) => start < end && end <= query.length);
        },
      ),
    );
  });
});

describe("a query of Mailpit", () => {
  test.each<readonly [string, SearchExpression]>([
    ['"from:a b" c', and(part("from", "a b"), mailpitAnyText("c"))],
    ["a OR b", and(mailpitAnyText("a"), mailpitAnyText("OR"), mailpitAnyText("b"))],
    ["(a)", mailpitAnyText("(a)")],
    ["filename:a", mailpitAnyText("filename:a")],
    ["has:code", mailpitAnyText("has:code")],
    ["is:flagged", mailpitAnyText("is:flagged")],
    ["after:soon x", mailpitAnyText("x")],
    ["larger:big", mailpitAnyText("larger:big")],
    ["-reply-to:A", not(part("replyTo", "a"))],
    ["is:UNREAD", not({ kind: "flag", flag: "seen" })],
    ["has:inlines", { kind: "present", part: "inline" }],
    ["", and()],
  ])("%s means what it means there", (query, expected) => {
    const { expression, problems } = parse(query, "mailpit");
    expect({ expression, problems }).toEqual({ expression: expected, problems: [] });
  });
});
