/**
 * Returns whether the value at each path equals its text; a path is dotted, and goes into the elements of lists. Names are
 * compared without letter case, since parameters have none.
 */
export function meetsFilter(email: unknown, filter: ReadonlyMap<string, string>): boolean {
  for (const [path, wanted] of filter) {
    if (!valuesAt(email, path.split(".")).some((value) => String(value) === wanted)) return false;
  }
  return true;
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) {
    const [name = ""] = path;
    const indexed = /^\d{1,6}$/.test(name) ? valuesAt(value[Number(name)], path.slice(1)) : [];
    return [...indexed, ...value.flatMap((one) => valuesAt(one, path))];
  }
  const [name, ...rest] = path;
  if (name === undefined) return value === undefined ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  const member = Object.entries(value).find(([one]) => one.toLowerCase() === name.toLowerCase());
  return member === undefined ? [] : valuesAt(member[1], rest);
}
