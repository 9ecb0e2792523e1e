/** Filter expressions of the events API: terms, quotes, `AND`, `OR` and `NOT`. */

/** Returns whether any of the values of a field matches. */
export type FieldMatcher = (values: readonly string[]) => boolean;

const token = /"([^"]*)"|[^\s"]+/g;

/** Parses a filter expression; letter case is ignored. An empty expression matches everything. */
export function parseExpression(expression: string): FieldMatcher {
  const groups = groupsOf(expression);
  if (groups.length === 0) return () => true;
  return (values) => {
    const lower = values.map((value) => value.toLowerCase());
    return groups.some((terms) =>
      terms.every(({ text, isNegated }) => lower.some((value) => value.includes(text)) !== isNegated),
    );
  };
}

interface Term {
  readonly text: string;
  readonly isNegated: boolean;
}

/** Returns the alternatives of an expression, each with all of its terms. */
function groupsOf(expression: string): readonly (readonly Term[])[] {
  const groups: Term[][] = [[]];
  let isNegated = false;
  for (const [whole, quoted] of expression.slice(0, 1000).matchAll(token)) {
    if (quoted === undefined && whole === "OR") groups.push([]);
    else if (quoted === undefined && whole === "NOT") isNegated = true;
    else if (quoted !== undefined || whole !== "AND") {
      groups.at(-1)?.push({ text: (quoted ?? whole).toLowerCase(), isNegated });
      isNegated = false;
    }
  }
  return groups.filter((terms) => terms.length > 0);
}
