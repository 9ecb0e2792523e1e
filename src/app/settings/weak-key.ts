/** Characters of a key that guards listeners which others can reach. */
const exposedKeyLengthMin = 16;

/** Keys of examples, in documentation and manifests of this and other projects, in lower case without separators. */
const placeholder =
  /^(?:(?:please)?(?:change|replace)(?:me|this|it)?|(?:a|my|your)+(?:own|secret|api|account)*(?:key|secret|password|token)|(?:the)?(?:api|account|secret)?(?:key|secret|password|token)|akeyofyourchoice|example|placeholder|todo|xxx|notsosecret|insecure|default|test)/;

/**
 * Returns why a key may not guard listeners that others can reach, as the end of a sentence that begins with the name of its
 * setting; null where it may.
 */
export function keyWeakness(key: string): string | null {
  if (placeholder.test(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))) return "is a placeholder that anybody knows";
  const length = String(exposedKeyLengthMin);
  return key.length < exposedKeyLengthMin ? `must have at least ${length} characters` : null;
}
