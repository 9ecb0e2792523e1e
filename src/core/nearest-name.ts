/** Returns the most similar name, at most three edits and half of its length away; undefined when there is none. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: editDistance(given.slice(0, 64), name) }))
    .filter(({ name, distance }) => distance <= Math.min(3, Math.floor(name.length / 2)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** Returns `; did you mean …?` for the most similar name, or an empty string. */
export function suggestion(given: string, names: readonly string[]): string {
  const nearest = nearestName(given, names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = at(row, column - 1) + (other[column - 1] === one[index] ? 0 : 1);
      next.push(Math.min(replaced, at(row, column) + 1, at(next, column - 1) + 1));
    }
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
