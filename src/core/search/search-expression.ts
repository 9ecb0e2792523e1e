/** Boolean expressions over messages: conditions of `q=`, of IMAP SEARCH and of the APIs of other mail catchers. */
import type { KeyRole, TextField } from "../criteria.ts";
import type { MessageFlag } from "../marks.ts";
import type { MessageType } from "../message.ts";
import type { SearchPart } from "./search-fields.ts";

/**
 * Condition on one message. Terms are folded: addresses by `foldAddress`, texts by `foldText`, terms of parts and
 * tags by `foldPart`, names of header fields in lower case.
 *
 * - `key`: has the whole address or label.
 * - `text`: subject or body contains the term.
 * - `part`: a value of the part contains the term; `any` for all parts.
 * - `present`: has an attachment, an inline part or a one-time code.
 * - `flag`, `tagged`: has the flag, any tag.
 * - `tag`, `tagText`: has the tag (without case), a tag that contains the term.
 * - `size`: the raw bytes are more or fewer than `bytes`; an SMS has none.
 * - `received`: from an instant on, and before another, in milliseconds since the Unix epoch; null for no such bound.
 * - `sequence`: sequence number within one of the ranges, both ends included.
 * - `header`: a header field with the name contains the term; only operations can decide it.
 * - `always`: matches every message; its negation none.
 */
export type SearchTerm =
  | { readonly kind: "key"; readonly role: KeyRole; readonly key: string }
  | { readonly kind: "text"; readonly field: TextField; readonly term: string }
  | { readonly kind: "part"; readonly part: SearchPart | "any"; readonly term: string }
  | { readonly kind: "present"; readonly part: "attachment" | "inline" | "code" }
  | { readonly kind: "flag"; readonly flag: MessageFlag }
  | { readonly kind: "tagged" }
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "tagText"; readonly term: string }
  | { readonly kind: "size"; readonly comparison: "larger" | "smaller"; readonly bytes: number }
  | { readonly kind: "received"; readonly from: number | null; readonly before: number | null }
  | { readonly kind: "type"; readonly type: MessageType }
  | { readonly kind: "sequence"; readonly ranges: readonly (readonly [first: number, last: number])[] }
  | { readonly kind: "header"; readonly name: string; readonly term: string }
  | { readonly kind: "always" };

/** Boolean expression over {@link SearchTerm}. An `and` of nothing matches every message, an `or` of nothing none. */
export type SearchExpression =
  | { readonly kind: "and"; readonly of: readonly SearchExpression[] }
  | { readonly kind: "or"; readonly of: readonly SearchExpression[] }
  | { readonly kind: "not"; readonly of: SearchExpression }
  | SearchTerm;

/** Bounds of an expression; beyond, {@link isWithinLimits} is false. */
export const searchTermCountMax = 1000;
/** Depth of nested `and`, `or` and `not`. */
export const searchDepthMax = 20;

/** Returns the negation of an expression. */
export function not(of: SearchExpression): SearchExpression {
  return of.kind === "not" ? of.of : { kind: "not", of };
}

/** Returns an expression that matches what all of the given ones match; nested ones are merged. */
export function and(...all: readonly SearchExpression[]): SearchExpression {
  return join("and", all);
}

/** Returns an expression that matches what one of the given ones matches; nested ones are merged. */
export function or(...some: readonly SearchExpression[]): SearchExpression {
  return join("or", some);
}

function join(kind: "and" | "or", all: readonly SearchExpression[]): SearchExpression {
  const of = all.flatMap((one) => (one.kind === kind ? one.of : [one]));
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : { kind, of };
}

/** Returns the terms that every match meets. */
export function requiredTerms(expression: SearchExpression): readonly SearchTerm[] {
  if (expression.kind === "and") return expression.of.flatMap(requiredTerms);
  return expression.kind === "or" || expression.kind === "not" ? [] : [expression];
}

/** Term, and whether it is within an odd number of negations. */
export interface OccurringTerm {
  readonly term: SearchTerm;
  readonly isNegated: boolean;
}

/** Returns all terms in order. */
export function occurringTerms(expression: SearchExpression, isNegated = false): readonly OccurringTerm[] {
  if (expression.kind === "and" || expression.kind === "or") {
    return expression.of.flatMap((one) => occurringTerms(one, isNegated));
  }
  return expression.kind === "not" ? occurringTerms(expression.of, !isNegated) : [{ term: expression, isNegated }];
}

/** Returns the expression with each term replaced. `isNegated` tells whether it is within an odd number of negations. */
export function replaceTerms(
  expression: SearchExpression,
  replace: (term: SearchTerm, isNegated: boolean) => SearchExpression,
  isNegated = false,
): SearchExpression {
  if (expression.kind === "and" || expression.kind === "or") {
    const { kind } = expression;
    return { kind, of: expression.of.map((one) => replaceTerms(one, replace, isNegated)) };
  }
  return expression.kind === "not"
    ? { kind: "not", of: replaceTerms(expression.of, replace, !isNegated) }
    : replace(expression, isNegated);
}

/** Returns the value of an expression in three-valued logic; `valueOf` returns null for terms that are not known. */
export function evaluate(expression: SearchExpression, valueOf: (term: SearchTerm) => boolean | null): boolean | null {
  if (expression.kind === "not") {
    const value = evaluate(expression.of, valueOf);
    return value === null ? null : !value;
  }
  if (expression.kind !== "and" && expression.kind !== "or") return valueOf(expression);
  const decisive = expression.kind === "or";
  let isKnown = true;
  for (const one of expression.of) {
    const value = evaluate(one, valueOf);
    if (value === decisive) return decisive;
    if (value === null) isKnown = false;
  }
  return isKnown ? !decisive : null;
}

/**
 * Returns a wider expression without terms of header fields, which stores cannot decide; the same expression when there are
 * none.
 */
export function withoutHeaders(expression: SearchExpression): SearchExpression {
  if (!hasTerm(expression, "header")) return expression;
  return replaceTerms(expression, (term, isNegated) => {
    if (term.kind !== "header") return term;
    return isNegated ? not({ kind: "always" }) : { kind: "always" };
  });
}

/** Returns whether one of the terms is of a kind. */
export function hasTerm(expression: SearchExpression, ...kinds: readonly SearchTerm["kind"][]): boolean {
  return occurringTerms(expression).some(({ term }) => kinds.includes(term.kind));
}

const markKinds: ReadonlySet<SearchTerm["kind"]> = new Set(["flag", "tagged", "tag", "tagText"]);

/** Returns whether changes of flags and tags can make a message match, or match no longer. */
export function dependsOnMarks(expression: SearchExpression): boolean {
  return occurringTerms(expression).some(
    ({ term }) => markKinds.has(term.kind) || (term.kind === "key" && term.role === "tag"),
  );
}

/** Returns whether an expression is within the limits that stores rely on. */
export function isWithinLimits(expression: SearchExpression): boolean {
  return depthOf(expression) <= searchDepthMax && occurringTerms(expression).length <= searchTermCountMax;
}

function depthOf(expression: SearchExpression): number {
  if (expression.kind === "not") return 1 + depthOf(expression.of);
  if (expression.kind !== "and" && expression.kind !== "or") return 0;
  return 1 + Math.max(0, ...expression.of.map(depthOf));
}

/** Bounds of the instants of matches, which the conditions that every match meets imply. */
export function receivedBounds(expression: SearchExpression): {
  readonly from: number | null;
  readonly before: number | null;
} {
  let [from, before]: [number | null, number | null] = [null, null];
  for (const term of requiredTerms(expression)) {
    if (term.kind !== "received") continue;
    if (term.from !== null) from = Math.max(from ?? term.from, term.from);
    if (term.before !== null) before = Math.min(before ?? term.before, term.before);
  }
  return { from, before };
}
