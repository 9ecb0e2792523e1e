import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasModSequence, ImapCharsetError, parseSearch, searchKeyCountMax, searchKeyDepthMax } from "./parse-search.ts";
import type { ImapSearch, ImapSearchKey } from "./parse-search.ts";
import { writeSearchResponse } from "./search-command.ts";
import { ImapSyntaxError, tokenise } from "./tokenise.ts";

const parse = (text: string): ImapSearch =>
  parseSearch(tokenise([{ kind: "text", text: Buffer.from(text).toString("latin1") }]));
const keyOf = (text: string): ImapSearchKey => parse(text).key;
const not = (of: ImapSearchKey): ImapSearchKey => ({ kind: "not", of });
const seen: ImapSearchKey = { kind: "flag", flag: "seen" };
const february = Date.UTC(2026, 1, 1);

describe("parseSearch", () => {
  it.each<[string, ImapSearchKey]>([
    ["all", { kind: "all" }],
    ["ANSWERED", { kind: "flag", flag: "answered" }],
    ["UNDRAFT", not({ kind: "flag", flag: "draft" })],
    ["UNSEEN", not(seen)],
    ["RECENT", { kind: "recent" }],
    ["OLD", not({ kind: "recent" })],
    ["NEW", { kind: "and", of: [{ kind: "recent" }, not(seen)] }],
    ["KEYWORD $Junk", { kind: "keyword", keyword: "$Junk" }],
    ["UNKEYWORD x", not({ kind: "keyword", keyword: "x" })],
    ['FROM "Ada L"', { kind: "address", field: "from", text: "Ada L" }],
    ["to a", { kind: "address", field: "to", text: "a" }],
    ["CC a", { kind: "address", field: "cc", text: "a" }],
    ["BCC a", { kind: "address", field: "bcc", text: "a" }],
    ['SUBJECT "grüße"', { kind: "content", field: "subject", text: "grüße" }],
    ["BODY x", { kind: "content", field: "body", text: "x" }],
    ["TEXT x", { kind: "content", field: "text", text: "x" }],
    ['HEADER X-Mailer ""', { kind: "header", name: "X-Mailer", text: "" }],
    ["BEFORE 1-Feb-2026", { kind: "date", of: "received", comparison: "before", day: february }],
    ['ON "01-FEB-2026"', { kind: "date", of: "received", comparison: "on", day: february }],
    ["SINCE 1-Feb-2026", { kind: "date", of: "received", comparison: "since", day: february }],
    ["SENTBEFORE 1-Feb-2026", { kind: "date", of: "sent", comparison: "before", day: february }],
    ["SENTON 1-Feb-2026", { kind: "date", of: "sent", comparison: "on", day: february }],
    ["SENTSINCE 1-Feb-2026", { kind: "date", of: "sent", comparison: "since", day: february }],
    ["LARGER 100", { kind: "size", comparison: "larger", bytes: 100 }],
    ["SMALLER 100", { kind: "size", comparison: "smaller", bytes: 100 }],
    ["UID 3:*", { kind: "uids", set: [{ first: 3, last: "*" }] }],
    ["UID $", { kind: "uids", set: "saved" }],
    [
      "1,3:5",
      {
        kind: "numbers",
        set: [
          { first: 1, last: 1 },
          { first: 3, last: 5 },
        ],
      },
    ],
    ["$", { kind: "numbers", set: "saved" }],
    ["MODSEQ 620", { kind: "modSequence", from: 620 }],
    ['MODSEQ "/flags/\\\\draft" all 620', { kind: "modSequence", from: 620 }],
    ["NOT SEEN", not(seen)],
    ["OR SEEN (ALL UNSEEN)", { kind: "or", of: [seen, { kind: "and", of: [{ kind: "all" }, not(seen)] }] }],
    ["(SEEN)", seen],
    ["SEEN ALL", { kind: "and", of: [seen, { kind: "all" }] }],
  ])("parses %s", (text, key) => {
    expect(parse(text)).toEqual({ returns: null, key });
  });

  it("parses the example of RFC 9051 section 6.4.4", () => {
    expect(keyOf('FLAGGED SINCE 1-Feb-1994 NOT FROM "Smith"')).toEqual({
      kind: "and",
      of: [
        { kind: "flag", flag: "flagged" },
        { kind: "date", of: "received", comparison: "since", day: Date.UTC(1994, 1, 1) },
        not({ kind: "address", field: "from", text: "Smith" }),
      ],
    });
  });

  it("parses RETURN and CHARSET", () => {
    expect(parse("RETURN (MIN count SAVE) CHARSET UTF-8 SEEN")).toEqual({
      returns: ["MIN", "COUNT", "SAVE"],
      key: seen,
    });
    expect(parse("RETURN () charset us-ascii SEEN")).toEqual({ returns: ["ALL"], key: seen });
    expect(() => parse("CHARSET KOI8-R SEEN")).toThrow(ImapCharsetError);
  });

  it.each([
    "",
    "()",
    "NOT",
    "OR SEEN",
    "FROM",
    "FROM (a)",
    "HEADER a",
    '"SEEN"',
    "UNKNOWN",
    "0",
    "1:",
    "UID x",
    "LARGER -1",
    "LARGER 99999999999999999999",
    "BEFORE 31-Feb-2026",
    "BEFORE 2026-02-01",
    "MODSEQ x",
    'MODSEQ "/flags/\\\\seen" some 1',
    "RETURN SEEN",
    "RETURN (OTHER) SEEN",
    "CHARSET UTF-8",
    `FROM ${"a".repeat(1001)}`,
  ])("rejects %j", (text) => {
    expect(() => parse(text)).toThrow(ImapSyntaxError);
  });

  it("accepts keys up to the limits", () => {
    const many = (count: number): string => Array.from({ length: count }, () => "SEEN").join(" ");
    expect(parse(many(searchKeyCountMax)).key.kind).toBe("and");
    expect(() => parse(many(searchKeyCountMax + 1))).toThrow("too many keys");
    const deep = (count: number): string => `${"NOT ".repeat(count)}SEEN`;
    expect(parse(deep(searchKeyDepthMax - 1)).key.kind).toBe("not");
    expect(() => parse(deep(searchKeyDepthMax))).toThrow("nested too deeply");
  });

  it("throws only syntax errors for arbitrary tokens", () => {
    const word = fc.constantFrom(
      "OR",
      "NOT",
      "FROM",
      "UID",
      "1:*",
      "x",
      "SEEN",
      "(",
      ")",
      '"a"',
      "HEADER",
      "BEFORE",
      "1-Jan-2026",
      "MODSEQ",
      "RETURN",
      "CHARSET",
      "UTF-8",
      "LARGER",
      "5",
      "$",
      "NEW",
      "KEYWORD",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        try {
          parse(words.join(" "));
        } catch (error) {
          expect(error instanceof ImapSyntaxError || error instanceof ImapCharsetError).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("hasModSequence", () => {
  it("looks into combined keys", () => {
    expect(hasModSequence(keyOf("NOT (SEEN OR ALL MODSEQ 1)"))).toBe(true);
    expect(hasModSequence(keyOf("NOT (SEEN OR ALL SEEN)"))).toBe(false);
  });
});

describe("writeSearchResponse", () => {
  const found = { numbers: [2, 3, 4, 9], modSequence: null };
  const form = { tag: "A1", isUid: false, returns: null };

  it("writes the response of IMAP4rev1", () => {
    expect(writeSearchResponse(found, form)).toBe("* SEARCH 2 3 4 9");
    expect(writeSearchResponse({ numbers: [], modSequence: 7 }, form)).toBe("* SEARCH");
    expect(writeSearchResponse({ ...found, modSequence: 917 }, form)).toBe("* SEARCH 2 3 4 9 (MODSEQ 917)");
  });

  it.each([
    [["ALL"], '* ESEARCH (TAG "A1") ALL 2:4,9'],
    [["MIN", "MAX", "COUNT"], '* ESEARCH (TAG "A1") MIN 2 MAX 9 COUNT 4'],
    [["SAVE"], null],
    [["SAVE", "COUNT"], '* ESEARCH (TAG "A1") COUNT 4'],
  ] as const)("writes the options %j", (returns, expected) => {
    expect(writeSearchResponse(found, { ...form, returns })).toBe(expected);
  });

  it("omits what an empty result has not", () => {
    const empty = { numbers: [], modSequence: null };
    const returns = ["MIN", "MAX", "ALL", "COUNT"] as const;
    expect(writeSearchResponse(empty, { ...form, isUid: true, returns })).toBe('* ESEARCH (TAG "A1") UID COUNT 0');
  });
});
