/** Conditions on the texts of messages that segments index, by which searches are narrowed. */
import type { KeyCriterion, TextField } from "../../core/criteria.ts";
import { occurringTerms, type SearchExpression, type SearchTerm } from "../../core/search/search-expression.ts";
import type { OrdinalSet } from "./bit-sets.ts";

/**
 * Text of a message that segments index: its subject, its body, or its search fields as one text
 * (`core/search/search-fields.ts`).
 */
export type IndexedField = TextField | "fields";

/** Term that a text must contain. */
export interface IndexedTerm {
  readonly kind: "term";
  readonly field: IndexedField;
  readonly term: string;
}

/** Condition that a match meets. An `and` of nothing is met by every message, an `or` of nothing by none. */
export type TextCondition =
  | IndexedTerm
  | { readonly kind: "and"; readonly of: readonly TextCondition[] }
  | { readonly kind: "or"; readonly of: readonly TextCondition[] };

/** Superset of the matches of a search: messages that meet the condition, and those that have one of the keys. */
export interface NarrowedSearch {
  readonly condition: TextCondition;
  readonly keys: readonly KeyCriterion[];
}

/** Condition that every message meets. */
const always: TextCondition = { kind: "and", of: [] };
const never: TextCondition = { kind: "or", of: [] };

/** Returns whether a condition may exclude messages. */
export function narrows(condition: TextCondition): boolean {
  return condition.kind !== "and" || condition.of.length > 0;
}

/** Returns the condition of a term; the empty term is in every text. */
export function hasText(field: IndexedField, term: string): TextCondition {
  return term === "" ? always : { kind: "term", field, term };
}

/** Returns the terms of a condition in order. */
export function termsOf(condition: TextCondition): readonly IndexedTerm[] {
  return condition.kind === "term" ? [condition] : condition.of.flatMap(termsOf);
}

/** Condition on tags. */
export type TagTerm = Extract<SearchTerm, { readonly kind: "tagged" | "tag" | "tagText" }>;

/**
 * Returns what every match meets, as far as the index knows; else the terms of bodies of which a match contains one, unless it
 * matches without any. `ofTags` returns what every match of a condition on tags meets.
 */
export function narrowSearch(
  expression: SearchExpression,
  ofTags: (term: TagTerm) => NarrowedSearch,
): NarrowedSearch & { readonly isNarrowedByTexts: boolean } {
  const narrowed = narrowExpression(expression, ofTags);
  if (termsOf(narrowed.condition).length > 0) return { ...narrowed, isNarrowedByTexts: true };
  const bodies = occurringTerms(expression).flatMap(({ term, isNegated }): readonly TextCondition[] =>
    term.kind !== "text" || term.field !== "body" || isNegated ? [] : [hasText("body", term.term)],
  );
  return { condition: oneOf(bodies), keys: [], isNarrowedByTexts: false };
}

/**
 * Returns what every match of an expression meets as far as texts and keys tell; negations and other terms narrow nothing.
 * `ofTags` returns it for a condition on tags.
 */
export function narrowExpression(
  expression: SearchExpression,
  ofTags: (term: TagTerm) => NarrowedSearch,
): NarrowedSearch {
  const narrow = (of: SearchExpression): NarrowedSearch => narrowExpression(of, ofTags);
  const { kind } = expression;
  if (kind === "and") return narrowAll(expression.of.map(narrow));
  if (kind === "or") return narrowOne(expression.of.map(narrow));
  if (kind === "text") return { condition: hasText(expression.field, expression.term), keys: [] };
  if (kind === "part") return { condition: hasText("fields", expression.term), keys: [] };
  if (kind === "key") return ofKeys([{ role: expression.role, key: expression.key }]);
  if (kind === "tagged" || kind === "tag" || kind === "tagText") return ofTags(expression);
  return { condition: always, keys: [] };
}

/** Returns the superset for messages with one of the keys. */
export function ofKeys(keys: readonly KeyCriterion[]): NarrowedSearch {
  return { condition: never, keys };
}

/** Returns the superset for messages that all of the given ones contain. */
function narrowAll(all: readonly NarrowedSearch[]): NarrowedSearch {
  const byTexts = all.filter(({ condition, keys }) => keys.length === 0 && narrows(condition));
  if (byTexts.length > 0) return { condition: allOf(byTexts.map(({ condition }) => condition)), keys: [] };
  // Messages with a key are few in most cases; one such part is enough.
  return all.find(({ condition }) => narrows(condition)) ?? { condition: always, keys: [] };
}

/** Returns the superset for messages that one of the given ones contains. */
export function narrowOne(some: readonly NarrowedSearch[]): NarrowedSearch {
  const condition = oneOf(some.map((one) => one.condition));
  return { condition, keys: narrows(condition) ? some.flatMap(({ keys }) => keys) : [] };
}

/** Returns the condition of messages that meet all of the given ones. */
export function allOf(conditions: readonly TextCondition[]): TextCondition {
  const [only, ...others] = conditions;
  if (only !== undefined && others.length === 0) return only;
  const of = distinct(conditions.flatMap((one) => (one.kind === "and" ? one.of : [one])));
  return of.length === 1 ? (of[0] ?? always) : { kind: "and", of };
}

/** Returns the condition of messages that meet one of the given ones. */
export function oneOf(conditions: readonly TextCondition[]): TextCondition {
  if (!conditions.every(narrows)) return always;
  const of = distinct(conditions.flatMap((one) => (one.kind === "or" ? one.of : [one])));
  return of.length === 1 ? (of[0] ?? never) : { kind: "or", of };
}

/** Removes repeated terms: a word that is looked for in several parts is one term of the fields. */
function distinct(conditions: readonly TextCondition[]): readonly TextCondition[] {
  const seen = new Set<string>();
  return conditions.filter((one) => {
    if (one.kind !== "term") return true;
    const key = `${one.field} ${one.term}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Returns false where no message of a segment meets a condition; `mayContain` tells it for a term. */
export function mayMeet(condition: TextCondition, mayContain: (term: IndexedTerm) => boolean): boolean {
  if (condition.kind === "term") return mayContain(condition);
  const mayMeetOne = (one: TextCondition): boolean => mayMeet(one, mayContain);
  return condition.kind === "or" ? condition.of.some(mayMeetOne) : condition.of.every(mayMeetOne);
}

/**
 * Returns the messages of a segment that meet a condition; undefined when there are none. `messagesWith` returns those with a
 * term, in a set that is changed; it is called for each term once, and only as long as it matters. The condition has no part
 * that every message meets.
 */
export function messagesMeeting(
  condition: TextCondition,
  messagesWith: (term: IndexedTerm) => OrdinalSet | undefined,
): OrdinalSet | undefined {
  if (condition.kind === "term") return messagesWith(condition);
  let found: OrdinalSet | undefined;
  for (const one of condition.of) {
    const more = messagesMeeting(one, messagesWith);
    if (more === undefined) {
      if (condition.kind === "and") return undefined;
    } else if (found === undefined) {
      found = more;
    } else if (condition.kind === "or") {
      found.addAll(more);
    } else {
      found.intersect(more);
    }
    if (condition.kind === "and" && found?.isEmpty === true) return undefined;
  }
  return found;
}
