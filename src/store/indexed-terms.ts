import type { KeyRole } from "../core/criteria.ts";
import { requiredTerms, type SearchExpression, type SearchTerm } from "../core/search/search-expression.ts";

/** Rarest first: a test's own address is rarer than the sender of its application. */
const rarity: Readonly<Record<KeyRole, number>> = { providerId: 0, to: 1, tag: 2, from: 3, provider: 4 };

/**
 * Returns the terms with an index of their messages of which every match of an expression meets all; those with fewer messages,
 * in most cases, first.
 */
export function indexedTerms(expression: SearchExpression): readonly SearchTerm[] {
  const ranked = requiredTerms(expression).map((term) => ({ term, rank: rankOf(term) }));
  return ranked
    .filter(({ rank }) => rank !== null)
    .toSorted((one, other) => Number(one.rank) - Number(other.rank))
    .map(({ term }) => term);
}

function rankOf(term: SearchTerm): number | null {
  if (term.kind === "key") return rarity[term.role];
  if (term.kind === "tag") return rarity.tag;
  if (term.kind === "flag") return term.flag === "seen" ? 7 : 5;
  return term.kind === "present" ? 6 : null;
}
