import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allReceived,
  formatMailQuery,
  activeCriteria,
  guessQuery,
  hasCriteria,
  isFiltered,
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

test("allReceived needs no words", () => {
  expect(formatMailQuery(allReceived)).toBe("");
  expect(parseMailQuery("?unknown=1&match=all&dir=x")).toEqual(allReceived);
});

describe("what is typed without saying what it is", () => {
  test("is a recipient when it is a whole address", () => {
    expect(guessQuery(allReceived, "a@b.example").criteria).toEqual({ sentTo: "a@b.example" });
  });

  test("is in the subject or in the text otherwise", () => {
    expect(guessQuery(allReceived, "804219").criteria).toEqual({ subject: "804219", body: "804219", match: "ANY" });
  });

  test("narrows a search by the subject", () => {
    const narrowed = guessQuery(withCriterion(allReceived, "sentTo", "a@b.example"), "code");
    expect(narrowed.criteria).toEqual({ sentTo: "a@b.example", subject: "code" });
  });
});

test("criteria come in one order and go one by one", () => {
  const query = withCriterion(withCriterion(allReceived, "body", "x"), "sentTo", "a@b");
  expect(activeCriteria(query)).toEqual([
    ["sentTo", "a@b"],
    ["body", "x"],
  ]);
  expect(hasCriteria(withCriterion(withCriterion(query, "body", ""), "sentTo", ""))).toBe(false);
});

test("the other direction and an instant narrow, though nothing is searched for", () => {
  expect([isFiltered(allReceived), hasCriteria({ ...allReceived, direction: "Sent" })]).toEqual([false, false]);
  expect(isFiltered({ ...allReceived, direction: "Sent" })).toBe(true);
  expect(isFiltered({ ...allReceived, receivedAfter: "2026-01-01T00:00:00Z" })).toBe(true);
});

test("the interface is asked in its own words", () => {
  const query = { ...allReceived, receivedAfter: "2026-01-01T00:00:00Z" };
  expect(listQuery("abcd1234", query, { page: 2, itemsPerPage: 100 })).toBe(
    "server=abcd1234&page=2&itemsPerPage=100&dir=Received&receivedAfter=2026-01-01T00%3A00%3A00Z",
  );
});
