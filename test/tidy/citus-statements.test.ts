/** Forms of statements that Citus cannot execute. The conformance suite finds the others on a running Citus. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Returns the expressions that statements of a source file assign to columns. */
function assignedExpressions(text: string): readonly string[] {
  return Array.from(text.matchAll(/\bset\s+(?=[a-z_]+\s*=)/g), ({ index, 0: { length } }) =>
    splitAssignments(text.slice(index + length)),
  ).flat();
}

function splitAssignments(text: string): readonly string[] {
  const assignments: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/[([{)\]},`";]|\b(?:from|where|returning)\b/g)) {
    if (/[([{]/.test(token)) depth += 1;
    else if (/[)\]}]/.test(token) && depth > 0) depth -= 1;
    else if (depth === 0) {
      assignments.push(text.slice(start, index));
      start = index + 1;
      if (token !== ",") break;
    }
  }
  return assignments.map((assignment) => assignment.slice(assignment.indexOf("=") + 1).trim());
}

/** Citus 13.2 crashes when it deparses an assignment of a subscript or a slice; `coalesce` around it avoids that. */
const isSubscript = (expression: string): boolean => expression.endsWith("]") && !expression.endsWith("[]");

test("finds a slice that a statement assigns", () => {
  const slice = "update t set a = (a || $1)[2:], b = coalesce(c[1], 0), d = $2::text[] where id = $3";
  expect(assignedExpressions(`\`${slice}\``)).toEqual(["(a || $1)[2:]", "coalesce(c[1], 0)", "$2::text[]"]);
  expect(assignedExpressions(`"${slice}"`).filter(isSubscript)).toEqual(["(a || $1)[2:]"]);
});

test("assigns no subscripts or slices of arrays on PostgreSQL", () => {
  const files = ["callbacks", "postgres", "queues", "records"].flatMap((room) =>
    filesBelow(`src/store/${room}`, ".ts"),
  );
  const assigned = files.flatMap(({ path, text }) =>
    assignedExpressions(text).map((expression) => ({ path, expression })),
  );
  expect(assigned.length).toBeGreaterThan(50);
  expect(assigned.filter(({ expression }) => isSubscript(expression))).toEqual([]);
});
