import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  everything,
  formatMailQuery,
  givenCriteria,
  guessQuery,
  hasCriteria,
  isNarrow,
  listQuery,
  parseMailQuery,
  withCriterion,
  type MailQuery,
} from "./mail-query.ts";

const text = fc.string({ minLength: 1, unit: "binary" }).filter((one) => one.isWellFormed());
const queries: fc.Arbitrary<MailQuery> = fc.record({
  criteria: fc.record(
    { sentTo: text, sentFrom: text, subject: text, body: text, match: fc.constant("ANY" as const) },
    { requiredKeys: [] },
  ),
  receivedAfter: fc.constantFrom("", "2026-11-20T10:00:00.000Z"),
  direction: fc.constantFrom("Received" as const, "Sent" as const),
});

test("every query has an address, and every address of ours gives its query back", () => {
  fc.assert(
    fc.property(queries, (query) => {
      expect(parseMailQuery(formatMailQuery(query))).toEqual(query);
    }),
  );
});

test("everything needs no words", () => {
  expect(formatMailQuery(everything)).toBe("");
  expect(parseMailQuery("?unknown=1&match=all&dir=x")).toEqual(everything);
});

describe("what is typed without saying what it is", () => {
  test("is a recipient when it is a whole address", () => {
    expect(guessQuery(everything, "a@b.example").criteria).toEqual({ sentTo: "a@b.example" });
  });

  test("is in the subject or in the text otherwise", () => {
    expect(guessQuery(everything, "804219").criteria).toEqual({ subject: "804219", body: "804219", match: "ANY" });
  });

  test("narrows a search by the subject", () => {
    const narrowed = guessQuery(withCriterion(everything, "sentTo", "a@b.example"), "code");
    expect(narrowed.criteria).toEqual({ sentTo: "a@b.example", subject: "code" });
  });
});

test("criteria come in one order and go one by one", () => {
  const query = withCriterion(withCriterion(everything, "body", "x"), "sentTo", "a@b");
  expect(givenCriteria(query)).toEqual([
    ["sentTo", "a@b"],
    ["body", "x"],
  ]);
  expect(hasCriteria(withCriterion(withCriterion(query, "body", ""), "sentTo", ""))).toBe(false);
});

test("the other direction and an instant narrow, though nothing is searched for", () => {
  expect([isNarrow(everything), hasCriteria({ ...everything, direction: "Sent" })]).toEqual([false, false]);
  expect(isNarrow({ ...everything, direction: "Sent" })).toBe(true);
  expect(isNarrow({ ...everything, receivedAfter: "2026-01-01T00:00:00Z" })).toBe(true);
});

test("the interface is asked in its own words", () => {
  const query = { ...everything, receivedAfter: "2026-01-01T00:00:00Z" };
  expect(listQuery("abcd1234", query, { page: 2, itemsPerPage: 100 })).toBe(
    "server=abcd1234&page=2&itemsPerPage=100&dir=Received&receivedAfter=2026-01-01T00%3A00%3A00Z",
  );
});
