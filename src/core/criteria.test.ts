import { expect, test } from "vitest";
import { keyCriteria, criteriaKey, criterionNames, givenCriteria, textCriteria, type Criteria } from "./criteria.ts";

test("criteriaKey depends on each criterion, its value and match", () => {
  const criteria: Criteria[] = [
    ...criterionNames.map((name): Criteria => ({ [name]: "a", match: "ALL" })),
    ...criterionNames.map((name): Criteria => ({ [name]: "b", match: "ALL" })),
    ...criterionNames.map((name): Criteria => ({ [name]: "a", match: "ANY" })),
    Object.assign({ match: "ALL" as const }, ...criterionNames.map((name) => ({ [name]: "a" }))) as Criteria,
  ];
  expect(new Set(criteria.map((one) => JSON.stringify(criteriaKey(one)))).size).toBe(criteria.length);
});

test("criteriaKey does not depend on the order of members or on members that are undefined", () => {
  const key = criteriaKey({ sentTo: "a", subject: "b", match: "ALL" });
  const other = { match: "ALL", subject: "b", sentTo: "a", body: undefined } as unknown as Criteria;
  expect(criteriaKey(other)).toEqual(key);
});

test("each present criterion is either a key or a text, and absent ones are neither", () => {
  const criteria: Criteria = {
    sentFrom: "f",
    sentTo: "t",
    subject: "s",
    body: "b",
    providerId: "i",
    tag: "g",
    provider: "p",
    match: "ANY",
  };
  expect(givenCriteria(criteria)).toEqual(criterionNames);
  expect(keyCriteria(criteria)).toEqual([
    { role: "from", key: "f" },
    { role: "to", key: "t" },
    { role: "providerId", key: "i" },
    { role: "tag", key: "g" },
    { role: "provider", key: "p" },
  ]);
  expect(textCriteria(criteria)).toEqual([
    { field: "subject", term: "s" },
    { field: "body", term: "b" },
  ]);
  expect(givenCriteria({ match: "ALL" })).toEqual([]);
});
