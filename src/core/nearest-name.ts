/** Distances between texts, and suggestions for misspelt names. */

/** Returns the most similar name, at most three edits and half of its length away; undefined when there is none. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(given.slice(0, 64), name, "whole") }))
    .filter(({ name, distance }) => distance <= Math.min(3, Math.floor(name.length / 2)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** Returns `; did you mean …?` for the most similar name, or an empty string. */
export function suggestion(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** Returns the Levenshtein distance to the whole of a text, or to the part of it that is nearest. */
export function editDistance(expected: string, actual: string, scope: "whole" | "part"): number {
  let row = new Uint16Array(actual.length + 1);
  let next = new Uint16Array(actual.length + 1);
  if (scope === "whole") for (let column = 0; column < row.length; column += 1) row[column] = column;
  for (let index = 0; index < expected.length; index += 1) {
    next[0] = index + 1;
    for (let column = 1; column < row.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (expected.charCodeAt(index) === actual.charCodeAt(column - 1) ? 0 : 1);
      next[column] = Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
    }
    [row, next] = [next, row];
  }
  return scope === "whole" ? (row[actual.length] ?? 0) : Math.min(...row);
}
