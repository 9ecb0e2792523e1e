/** Expressions of criteria, and of words without an operator. */
import { criterionTargets, givenCriteria, type Criteria } from "../criteria.ts";
import { and, or, type SearchExpression, type SearchTerm } from "./search-expression.ts";
import { foldPart } from "./search-fields.ts";
import { foldText } from "../fold.ts";

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

/**
 * Returns the expression of a word without an operator: it is in the subject, the body, a name, an address, a file name, the
 * Message-ID, or a tag; or it is a code that the body shows in groups of characters (`804 219`, `X7K-9QZ`).
 */
export function anyText(word: string): SearchExpression {
  const term = foldText(word);
  return or(
    { kind: "text", field: "subject", term },
    { kind: "part", part: "any", term: foldPart(word) },
    { kind: "tagText", term: foldPart(word) },
    { kind: "text", field: "body", term },
    ...groupedCodes(term).map((code): SearchExpression => ({ kind: "text", field: "body", term: code })),
  );
}

/** Returns the expression of a word as Mailpit searches it: without tags, Message-ID and codes. */
export function mailpitAnyText(word: string): SearchExpression {
  const term = foldPart(word);
  const parts = ["from", "to", "cc", "bcc", "replyTo", "attachment", "inline"] as const;
  return or(
    { kind: "text", field: "subject", term: foldText(word) },
    ...parts.map((part): SearchExpression => ({ kind: "part", part, term })),
    { kind: "text", field: "body", term: foldText(word) },
  );
}

const groupLengths = [1, 2, 3, 4];

/** Returns the spellings in groups of a word that may be a code; none for other words. */
function groupedCodes(term: string): readonly string[] {
  if (!/^(?=.*\d)[a-z\d]{4,12}$/.test(term)) return [];
  return groupLengths
    .filter((length) => length < term.length)
    .flatMap((length) => {
      const groups = term.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      return [groups.join(" "), groups.join("-")];
    });
}
