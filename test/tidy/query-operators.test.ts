/** Operators of searches that users meet: those of the service in the web UI and in the guide. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { queryOperators } from "../../src/core/search/query-operators.ts";
import { operatorValues } from "../../web/navigation/query-text.ts";
import { strings } from "../../web/strings.ts";
import { root } from "./source-files.ts";

const operators = Object.keys(queryOperators).toSorted();

test("the web UI takes every operator, and labels and examples name no other", () => {
  expect(Object.keys(operatorValues).toSorted()).toEqual(operators);
  const named = [...Object.keys(strings.list.operators), ...Object.keys(strings.list.examples)];
  expect(named.filter((name) => !operators.includes(name))).toEqual([]);
});

test("the values that the web UI suggests are values of their operators", () => {
  const clock = { now: Date.UTC(2026, 10, 28) };
  const refused = Object.entries(operatorValues).flatMap(([name, values]) =>
    (values ?? []).filter((value) => queryOperators[name]?.read(value, clock) === undefined),
  );
  expect(refused).toEqual([]);
});

test("the guide has every operator in its table, and no other", () => {
  const guide = readFileSync(join(root, "docs/guide/search.md"), "utf8");
  const rows = guide.split("\n").filter((line) => /^\| `[a-z-]+:/.test(line));
  const documented = rows.flatMap((row) =>
    Array.from(row.split(" | ")[0]?.matchAll(/`([a-z-]+):/g) ?? [], ([, name]) => name),
  );
  expect(new Set(documented)).toEqual(new Set(operators));
});
