import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithinLimits } from "../../core/search/search-expression.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";
import { startInstant } from "../conformance/services.test-aid.ts";
import { Rejection } from "../kit/rejection.ts";
import { conversationIdOf } from "./ids.ts";
import { readFilter, readSearch } from "./query.ts";

const seen = { kind: "flag", flag: "seen" };
const subject = (term: string) => ({ kind: "text", field: "subject", term });
const not = (of: object) => ({ kind: "not", of });
const second = Date.UTC(2026, 10, 28, 12, 0, 1);
const received = (from: number | null, before: number | null) => ({ kind: "received", from, before });

describe("readFilter", () => {
  test.each([
    ["isRead eq false", not(seen)],
    ["not isRead eq true", not(seen)],
    ["isRead ne true", not(seen)],
    ["hasAttachments eq true", { kind: "present", part: "attachment" }],
    ["contains(subject,'It''s ÄB')", subject("it's äb")],
    ["startswith(subject, 'Order') and isRead eq false", { kind: "and", of: [subject("order"), not(seen)] }],
    [
      "isRead eq true and (subject eq 'a' or subject eq 'b')",
      { kind: "and", of: [seen, { kind: "or", of: [subject("a"), subject("b")] }] },
    ],
    ["from/emailAddress/address eq 'Ada@App.example'", { kind: "key", role: "from", key: "ada@app.example" }],
    ["contains(from/emailAddress/name, 'Ada')", { kind: "part", part: "from", term: "ada" }],
    ["toRecipients/any(r:r/emailAddress/address eq 'z@a.b')", { kind: "key", role: "to", key: "z@a.b" }],
    ["categories/any(c:c eq 'Blue  category')", { kind: "tag", tag: "blue category" }],
    ["receivedDateTime ge 2026-11-28T12:00:01Z", received(second, null)],
    ["receivedDateTime gt 2026-11-28T12:00:01Z", received(second + 1000, null)],
    ["receivedDateTime gt 2026-11-28T12:00:01.000Z", received(second + 1, null)],
    ["receivedDateTime lt 2026-11-28T12:00:01Z", received(null, second)],
    ["receivedDateTime le 2026-11-28T12:00:01Z", received(null, second + 1000)],
    ["receivedDateTime eq 2026-11-28T12:00:01Z", received(second, second + 1000)],
    ["receivedDateTime ge 2026-11-28", received(Date.UTC(2026, 10, 28), null)],
    ["internetMessageId eq '<A@b.example>'", { kind: "part", part: "messageId", term: "a@b.example" }],
    ["flag/flagStatus eq 'flagged'", { kind: "flag", flag: "flagged" }],
    ["importance eq 'high'", { kind: "header", name: "importance", term: "high" }],
    ["parentFolderId eq 'deleteditems'", { kind: "flag", flag: "deleted" }],
  ])("reads %s", (filter, expression) => {
    expect(readFilter(filter)).toEqual(expression);
  });

  test("reads the id of a conversation as the Message-ID of its first mail", () => {
    const { of } = readFilter(`conversationId eq '${conversationIdOf("root@a.example")}'`) as { of: readonly object[] };
    expect(of[0]).toEqual({ kind: "part", part: "messageId", term: "root@a.example" });
  });

  test.each([
    "",
    "isRead",
    "isRead eq",
    "isRead eq 'yes'",
    "isRead gt true",
    "subject gt 'a'",
    "constructor eq 'a'",
    "webLink eq 'a'",
    "isRead eq true isRead",
    "(isRead eq true",
    "contains(subject)",
    "receivedDateTime ge yesterday",
    "categories/all(c:c eq 'a')",
    "categories/any(c:d eq 'a')",
    "a eq '",
    `${"(".repeat(12)}isRead eq true${")".repeat(12)}`,
    `${"not ".repeat(12)}isRead eq true`,
    "x".repeat(4001),
  ])("rejects %s", (filter) => {
    expect(() => readFilter(filter)).toThrow(Rejection);
  });

  test("returns an expression within the limits of searches, or rejects, for any text", () => {
    const word = fc.constantFrom(
      "isRead",
      "eq",
      "ne",
      "true",
      "and",
      "or",
      "not",
      "(",
      ")",
      "'a'",
      "subject",
      "contains(",
      ",",
      "2026-11-28",
      "c:c",
      "categories/any(",
    );
    const filters = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(word, { maxLength: 30 }).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(filters, (filter) => {
        try {
          expect(isWithinLimits(readFilter(filter))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Rejection);
        }
      }),
    );
  });
});

describe("readSearch", () => {
  const now = startInstant;
  test.each([
    ['"subject:order"', subject("order")],
    ["subject:order", subject("order")],
    ['"subject:\\"two words\\""', subject("two words")],
    [
      '"from:ada AND hasAttachment:true"',
      {
        kind: "and",
        of: [
          { kind: "part", part: "from", term: "ada" },
          { kind: "present", part: "attachment" },
        ],
      },
    ],
    ['"hasAttachments:false"', not({ kind: "present", part: "attachment" })],
    ['"NOT subject:order"', not(subject("order"))],
    [
      '"attachment:bill"',
      {
        kind: "or",
        of: [
          { kind: "part", part: "attachment", term: "bill" },
          { kind: "part", part: "inline", term: "bill" },
        ],
      },
    ],
    ['"received>=2026-11-28"', received(Date.UTC(2026, 10, 28), null)],
    ['"received<2026-11-28"', received(null, Date.UTC(2026, 10, 28))],
    ['"size>1000"', { kind: "size", comparison: "larger", bytes: 1000 }],
  ])("reads %s", (search, expression) => {
    expect(readSearch(search, now)).toEqual(expression);
  });

  test("finds a word without a property anywhere, also one with quotes around it", () => {
    expect(readSearch('"pizza"', now)).toEqual(readSearch("pizza", now));
    expect(JSON.stringify(readSearch('"pizza"', now))).toContain('"pizza"');
  });

  test.each(["received:someday", `"${"x ".repeat(60)}"`, "x".repeat(4001)])("rejects %s", (search) => {
    expect(() => readSearch(search, now)).toThrow(Rejection);
  });

  test("returns an expression or rejects for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (search) => {
        try {
          expect(isWithinLimits(readSearch(search, now))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Rejection);
        }
      }),
    );
  });
});
