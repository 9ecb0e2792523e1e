/** Minimum length of a key when the listeners are not on loopback. */
const exposedKeyLengthMin = 16;

/** Keys of examples in documentation and manifests, in lower case without separators. */
const placeholder =
  /^(?:(?:please)?(?:change|replace)(?:me|this|it)?|(?:a|my|your)+(?:own|secret|api|account)*(?:key|secret|password|token)|(?:the)?(?:api|account|secret)?(?:key|secret|password|token)|akeyofyourchoice|example|placeholder|todo|xxx|notsosecret|insecure|default|test)/;

/**
 * Returns why a key is too weak for listeners that are not on loopback, as the predicate of a sentence whose subject is the
 * setting; null when it is strong enough.
 */
export function keyWeakness(key: string): string | null {
  if (placeholder.test(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))) return "is a known placeholder";
  const length = String(exposedKeyLengthMin);
  return key.length < exposedKeyLengthMin ? `must have at least ${length} characters` : null;
}
