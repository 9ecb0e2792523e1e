import { criteriaExpression } from "./search/build-expression.ts";
import { expect, test } from "vitest";
import { criteriaKey, criterionNames, givenCriteria, type Criteria } from "./criteria.ts";

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
  expect(criteriaExpression(criteria)).toEqual({
    kind: "or",
    of: [
      { kind: "key", role: "from", key: "f" },
      { kind: "key", role: "to", key: "t" },
      { kind: "text", field: "subject", term: "s" },
      { kind: "text", field: "body", term: "b" },
      { kind: "key", role: "providerId", key: "i" },
      { kind: "key", role: "tag", key: "g" },
      { kind: "key", role: "provider", key: "p" },
    ],
  });
  expect(givenCriteria({ match: "ALL" })).toEqual([]);
});
