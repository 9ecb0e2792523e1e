import { foldPart } from "./search-fields.ts";
import type { SearchTerm } from "./search-expression.ts";

/** Returns those of the tags of a server, in their own spelling, by which a message meets a term about tags. */
export function matchingTags(
  term: SearchTerm & { readonly kind: "tagged" | "tag" | "tagText" },
  tags: readonly string[],
): readonly string[] {
  if (term.kind === "tagged") return tags;
  return tags.filter((tag) => (term.kind === "tag" ? foldPart(tag) === term.tag : foldPart(tag).includes(term.term)));
}
