/**
 * Returns whether an address matches a pattern in lower case, in which `*` stands for any characters, without regard to
 * letter case. Takes linear time.
 */
export function matchesPattern(pattern: string, address: string): boolean {
  const folded = address.toLowerCase();
  const [prefix = "", ...others] = pattern.split("*");
  const suffix = others.pop();
  if (suffix === undefined) return folded === pattern;
  if (!folded.startsWith(prefix)) return false;
  let at = prefix.length;
  for (const part of others) {
    const found = folded.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return folded.length - at >= suffix.length && folded.endsWith(suffix);
}
