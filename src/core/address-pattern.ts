/** Returns whether an address matches a pattern in lower case, `address` or `*@domain`, without regard to letter case. */
export function matchesPattern(pattern: string, address: string): boolean {
  const folded = address.toLowerCase();
  return pattern.startsWith("*@") ? folded.slice(folded.lastIndexOf("@")) === pattern.slice(1) : folded === pattern;
}
