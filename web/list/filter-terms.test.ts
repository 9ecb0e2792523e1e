import { expect, test } from "vitest";
import { allReceived } from "../navigation/mail-query.ts";
import { boundedQuery, hasTerm, toggleTerm } from "./filter-terms.ts";

const queryOf = (q: string) => ({ ...allReceived, q });

test("toggles a term and leaves the others", () => {
  const filtered = toggleTerm(queryOf("invoice"), "is:unread");
  expect([filtered.q, hasTerm(filtered, "is:unread")]).toEqual(["invoice is:unread", true]);
  expect(toggleTerm(filtered, "is:unread").q).toBe("invoice");
});

test("narrows both sides of OR", () => {
  expect(toggleTerm(queryOf("a OR b"), "is:unread").q).toBe("(a OR b) is:unread");
  expect(toggleTerm(queryOf("(a OR b) c"), "is:unread").q).toBe("(a OR b) c is:unread");
});

test("bounds a query by the times that it already has and the given one", () => {
  const receivedAfter = "2026-11-20T10:00:00.000Z";
  const at = Date.parse(receivedAfter);
  expect(boundedQuery({ ...queryOf("a OR b"), receivedAfter }, at + 9)).toBe(
    `(a OR b) after:${at + 1} before:${at + 9}`,
  );
  expect(boundedQuery(allReceived, 5)).toBe("before:5");
});
