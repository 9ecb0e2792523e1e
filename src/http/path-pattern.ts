/**
 * Returns whether a path matches the path of a route: `:name` matches one segment that is not empty, `/*` at the end any
 * rest.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  if (pattern.endsWith("/*")) return path.startsWith(pattern.slice(0, -1));
  const expected = pattern.split("/");
  // Not all segments: a stranger can send a path of thousands, which is compared with every route.
  const actual = path.split("/", expected.length + 1);
  return (
    expected.length === actual.length &&
    expected.every((segment, at) => (segment.startsWith(":") ? actual[at] !== "" : segment === actual[at]))
  );
}
