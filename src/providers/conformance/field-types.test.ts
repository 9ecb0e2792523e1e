import { expect, test } from "vitest";
import { fieldDifferences } from "./field-types.test-aid.ts";

const table = {
  id: "integer",
  name: "string|null",
  tags: "array",
  "tags[]": "string",
  meta: "map?",
  geo: "object?",
  "geo.city": "string",
};

test.each([
  [{ id: 1, name: "a", tags: [] }, []],
  [{ id: 1, name: null, tags: ["a"], meta: { any: { thing: 1 } }, geo: { city: "x" } }, []],
  [{ id: 1.5, name: "a", tags: [] }, ["id: number instead of integer"]],
  [{ id: 1, tags: [1] }, ["name: missing", "tags[]: integer instead of string"]],
  [{ id: 1, name: "a", tags: [], geo: {} }, ["geo.city: missing"]],
  [{ id: 1, name: "a", tags: [], other: true }, ["other: not in the table (boolean)"]],
])("fieldDifferences of %j", (value, differences) => {
  expect(fieldDifferences(value, table)).toEqual(differences);
});

test("fieldDifferences ignores extra names of the topmost object", () => {
  expect(fieldDifferences({ id: 1, name: "a", tags: [], order: "1" }, table, ["order"])).toEqual([]);
});
