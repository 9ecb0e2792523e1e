import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allReceived,
  formatMailQuery,
  activeCriteria,
  hasCriteria,
  isFiltered,
  listQuery,
  operatorTerm,
  parseMailQuery,
  termsOf,
  withCriterion,
  withoutTerm,
  withTerms,
  type MailQuery,
} from "./mail-query.ts";
import { codePoint } from "../../src/testing/code-point.test-aid.ts";

const text = fc.string({ minLength: 1, unit: codePoint }).filter((one) => one.isWellFormed());
const queries: fc.Arbitrary<MailQuery> = fc.record({
  q: fc.oneof(fc.constant(""), text),
  criteria: fc.record(
    { sentTo: text, sentFrom: text, subject: text, body: text, match: fc.constant("ANY" as const) },
    { requiredKeys: [] },
  ),
  receivedAfter: fc.constantFrom("", "2026-11-20T10:00:00.000Z"),
  direction: fc.constantFrom("Received" as const, "Sent" as const),
});

test("parses every formatted query as the query that it was formatted from", () => {
  fc.assert(
    fc.property(queries, (query) => {
      expect(parseMailQuery(formatMailQuery(query))).toEqual(query);
    }),
  );
});

test("formats allReceived as an empty string", () => {
  expect(formatMailQuery(allReceived)).toBe("");
  expect(parseMailQuery("?unknown=1&match=all&dir=x")).toEqual(allReceived);
});

describe("terms of q", () => {
  test("are words, texts in quotes, operators and groups", () => {
    expect(termsOf('invoice  from:"Anna B" -draft (a OR b) "your code"')).toEqual([
      "invoice",
      'from:"Anna B"',
      "-draft",
      "(a OR b)",
      '"your code"',
    ]);
    expect(termsOf("a OR b")).toEqual(["a OR b"]);
    expect(termsOf('"open')).toEqual(['"open']);
    expect(termsOf(" ")).toEqual([]);
  });

  test("narrow, and are removed one by one", () => {
    const query = withTerms(withTerms(allReceived, "invoice"), operatorTerm("from", "Anna B"));
    expect(query.q).toBe('invoice from:"Anna B"');
    expect(withoutTerm(query, 0).q).toBe('from:"Anna B"');
    expect(withoutTerm(withoutTerm(query, 0), 0)).toEqual(allReceived);
  });

  test("contain a text as a whole", () => {
    expect(operatorTerm("to", "a@b.example")).toBe("to:a@b.example");
    expect(operatorTerm("subject", 'say "hi" (now)')).toBe('subject:"say  hi  (now)"');
  });
});

test("returns criteria in display order and removes them one by one", () => {
  const query = withCriterion(withCriterion(allReceived, "body", "x"), "sentTo", "a@b");
  expect(activeCriteria(query)).toEqual([
    ["sentTo", "a@b"],
    ["body", "x"],
  ]);
  expect(hasCriteria(withCriterion(withCriterion(query, "body", ""), "sentTo", ""))).toBe(false);
});

test("counts direction and time as filters but not as criteria", () => {
  expect([isFiltered(allReceived), hasCriteria({ ...allReceived, direction: "Sent" })]).toEqual([false, false]);
  expect(isFiltered({ ...allReceived, direction: "Sent" })).toBe(true);
  expect(isFiltered({ ...allReceived, receivedAfter: "2026-01-01T00:00:00Z" })).toBe(true);
});

test("listQuery uses the parameter names of the API", () => {
  const query = { ...allReceived, q: "from:anna", receivedAfter: "2026-01-01T00:00:00Z" };
  expect(listQuery("abcd1234", query, { page: 2, itemsPerPage: 100 })).toBe(
    "server=abcd1234&page=2&itemsPerPage=100&dir=Received&receivedAfter=2026-01-01T00%3A00%3A00Z&q=from%3Aanna",
  );
});
