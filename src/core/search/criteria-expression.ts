import { criterionTargets, givenCriteria, type Criteria } from "../criteria.ts";
import { and, or, type SearchExpression, type SearchTerm } from "./search-expression.ts";
import { foldPart } from "./search-fields.ts";

/** Returns the expression of folded criteria; without any, one that matches every message. */
export function criteriaExpression(criteria: Criteria): SearchExpression {
  const terms = givenCriteria(criteria).map((name): SearchExpression => {
    const [target, value] = [criterionTargets[name], criteria[name] ?? ""];
    return target.kind === "text"
      ? { kind: "text", field: target.field, term: value }
      : { kind: "key", role: target.role, key: value };
  });
  return criteria.match === "ALL" || terms.length === 0 ? and(...terms) : or(...terms);
}

/** Returns those of the tags of a server, in their own spelling, by which a message meets a term about tags. */
export function matchingTags(
  term: SearchTerm & { readonly kind: "tagged" | "tag" | "tagText" },
  tags: readonly string[],
): readonly string[] {
  if (term.kind === "tagged") return tags;
  return tags.filter((tag) => (term.kind === "tag" ? foldPart(tag) === term.tag : foldPart(tag).includes(term.term)));
}
