/** Search expressions as conditions in SQL, with the differences between the databases. */
import type { KeyRole } from "../../core/criteria.ts";
import { encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { flagBits } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { matchingTags } from "../../core/search/build-expression.ts";
import { type SearchExpression, type SearchTerm, requiredTerms } from "../../core/search/search-expression.ts";
import { partSeparator, searchParts, valueSeparator, type SearchPart } from "../../core/search/search-fields.ts";
import { receivedAtMax } from "../page-bounds.ts";
import type { TagTerm } from "../signatures/text-condition.ts";

/** Messages that an expression is about. */
export interface ExpressionScope {
  readonly server: ServerId;
  readonly direction: Direction;
  /** All tags in the server that the database knows by their own spelling. */
  readonly tags: readonly string[];
  /** Term of the expression that all compared messages meet. */
  readonly implied?: SearchTerm | null;
}

/** Value of a parameter. */
type SearchValue = string | number | Uint8Array;
/** Adds a parameter with a value and a type of PostgreSQL; returns it as SQL. */
export type AddParameter = (value: SearchValue, type: string) => string;

/** Differences between the databases in conditions. */
export interface ExpressionDialect {
  /** Columns and expressions of the compared message. */
  readonly message: Readonly<Record<"id" | "subject" | "fields" | "size" | "sequence" | "flags", string>>;
  /** Returns a parameter in SQL. */
  readonly parameter: (name: string, type: string) => string;
  /** Returns the condition that a text contains a term. */
  readonly contains: (text: string, term: string, add: AddParameter) => string;
  /** Returns the condition that the body contains a term; `number` counts the distinct terms of bodies from 0. */
  readonly bodyContains: (number: number, term: string, add: AddParameter) => string;
  /** Returns one part of the search fields, by its index. */
  readonly part: (index: number) => string;
  /** Returns the condition that a part has a value, as its index has it. */
  readonly hasPart: (part: PresentPart) => string;
  readonly hasKey: (role: KeyRole, key: string, add: AddParameter) => string;
  /** Returns the condition that a message has one of the tags of {@link ExpressionScope}; they are at least one. */
  readonly hasTags: (tags: readonly string[], add: AddParameter) => string;
  /** Returns the condition that other tags of a message meet a term; undefined where there are none. */
  readonly hasOtherTags?: (term: TagTerm, add: AddParameter) => string;
  /** Encodes an id, and returns its type. */
  readonly id: (id: MessageId) => readonly [SearchValue, string];
  /** Returns the condition that a number is within one of the ranges, both ends included. */
  readonly isWithin: (
    value: string,
    ranges: readonly (readonly [first: number, last: number])[],
    add: AddParameter,
  ) => string;
}

/** Part of a message of which searches ask whether it is present. */
export type PresentPart = Extract<SearchTerm, { readonly kind: "present" }>["part"];

/** All parts with an index. */
export const presentParts: readonly PresentPart[] = ["attachment", "inline", "code"];

/** Returns the pattern of search fields in which a part has a value; `any` matches any characters. */
export function presentPattern(part: PresentPart, any: "*" | "%"): string {
  const before = searchParts.indexOf(part);
  const others = (count: number): string => `${any}${partSeparator}`.repeat(count);
  return `'${others(before)}${valueSeparator}${others(searchParts.length - before)}'`;
}

/** Returns a LIKE pattern for texts that contain this one, with its special characters escaped by a backslash. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** Condition on a message in SQL. */
export interface ExpressionSql {
  /** Condition without the implied term; empty when nothing is left. */
  readonly condition: string;
  readonly wholeCondition: string;
  /** The whole condition when no body contains any term. */
  readonly conditionWithoutBodies: () => string;
  readonly values: Readonly<Record<string, SearchValue>>;
  /** Distinct terms of bodies, in the order of their numbers. */
  readonly bodyTerms: readonly string[];
}

/** Writes the condition of an expression. */
export function writeExpression(
  dialect: ExpressionDialect,
  expression: SearchExpression,
  scope: ExpressionScope,
): ExpressionSql {
  const writer = new ExpressionWriter(dialect, scope);
  const parts = expression.kind === "and" ? expression.of : [expression];
  const rest = parts.filter((part) => part !== scope.implied);
  const wholeCondition = writer.all(parts);
  return {
    condition: rest.length === 0 ? "" : writer.all(rest),
    wholeCondition,
    conditionWithoutBodies: () => writer.all(parts, false),
    values: writer.values,
    bodyTerms: [...writer.bodies.keys()],
  };
}

/** Writers of the conditions of terms. */
type TermWriters = { readonly [Kind in SearchTerm["kind"]]: (term: TermOf<Kind>) => string };
type TermOf<Kind extends SearchTerm["kind"]> = Extract<SearchTerm, { readonly kind: Kind }>;

class ExpressionWriter {
  readonly values: Record<string, SearchValue> = {};
  /** Conditions by the terms of bodies. */
  readonly bodies = new Map<string, string>();
  readonly #dialect: ExpressionDialect;
  readonly #scope: ExpressionScope;
  readonly #written = new Map<SearchTerm, string>();
  #count = 0;

  constructor(dialect: ExpressionDialect, scope: ExpressionScope) {
    this.#dialect = dialect;
    this.#scope = scope;
  }

  /** Writes the condition that all are met. */
  all(of: readonly SearchExpression[], withBodies = true): string {
    return this.#write({ kind: "and", of }, withBodies);
  }

  #write(expression: SearchExpression, withBodies: boolean): string {
    if (expression.kind === "not") return `not ${this.#write(expression.of, withBodies)}`;
    if (!withBodies && expression.kind === "text" && expression.field === "body") return "false";
    if (expression.kind !== "and" && expression.kind !== "or") return this.#term(expression);
    if (expression.of.length === 0) return expression.kind === "and" ? "true" : "false";
    const written = expression.of.map((one) => this.#write(one, withBodies));
    return `(${balanced(written, expression.kind)})`;
  }

  #term<Kind extends SearchTerm["kind"]>(term: TermOf<Kind>): string {
    const known = this.#written.get(term);
    if (known !== undefined) return known;
    const written = (this.#writers[term.kind] as (term: TermOf<Kind>) => string)(term);
    this.#written.set(term, written);
    return written;
  }

  readonly #add: AddParameter = (value, type) => {
    this.#count += 1;
    const name = `p${this.#count}`;
    this.values[name] = value;
    return this.#dialect.parameter(name, type);
  };

  readonly #writers: TermWriters = {
    always: () => "true",
    header: () => {
      throw new Error("stores do not compare header fields");
    },
    key: ({ role, key }) => `(${this.#dialect.hasKey(role, key, this.#add)})`,
    text: ({ field, term }) => (field === "body" ? this.#body(term) : `(${this.#contains("subject", term)})`),
    part: (term) => `(${this.#part(term)})`,
    present: ({ part }) => `(${this.#dialect.hasPart(part)})`,
    flag: ({ flag }) => `(${this.#dialect.message.flags} & ${flagBits([flag])} <> 0)`,
    size: ({ comparison, bytes }) =>
      `(${this.#dialect.message.size} ${comparison === "larger" ? ">" : "<"} ${this.#add(bytes, "float8")})`,
    type: ({ type }) => `(${this.#dialect.message.size} ${type === "SMS" ? "=" : "<>"} 0)`,
    received: (term) => this.#received(term),
    sequence: ({ ranges }) => `(${this.#dialect.isWithin(this.#dialect.message.sequence, ranges, this.#add)})`,
    tagged: (term) => this.#tags(term),
    tag: (term) => this.#tags(term),
    tagText: (term) => this.#tags(term),
  };

  #contains(column: "subject" | "fields", term: string): string {
    return this.#dialect.contains(this.#dialect.message[column], term, this.#add);
  }

  #body(term: string): string {
    const { bodies } = this;
    const condition = bodies.get(term) ?? `(${this.#dialect.bodyContains(bodies.size, term, this.#add)})`;
    bodies.set(term, condition);
    return condition;
  }

  /** Most messages are excluded by all fields together, of which no part must be cut. */
  #part({ part, term }: TermOf<"part">): string {
    const anywhere = this.#contains("fields", term);
    if (part === "any") return anywhere;
    return `${anywhere} and ${this.#dialect.contains(this.#dialect.part(indexOf(part)), term, this.#add)}`;
  }

  #tags(term: TagTerm): string {
    const tags = matchingTags(term, this.#scope.tags);
    const conditions = [
      this.#dialect.hasOtherTags?.(term, this.#add),
      tags.length === 0 ? undefined : this.#dialect.hasTags(tags, this.#add),
    ].filter((one) => one !== undefined);
    return conditions.length === 0 ? "false" : `(${conditions.join(" or ")})`;
  }

  #received({ from, before }: TermOf<"received">): string {
    const { server, direction } = this.#scope;
    const { message, id } = this.#dialect;
    const idAt = (at: number): string => {
      const receivedAt = Math.min(Math.max(0, Math.ceil(at)), receivedAtMax);
      return this.#add(...id(encodeMessageId({ server, direction, receivedAt, random: 0 })));
    };
    const conditions = [
      ...(from === null ? [] : [from > receivedAtMax ? "false" : `${message.id} >= ${idAt(from)}`]),
      ...(before === null || before > receivedAtMax ? [] : [`${message.id} < ${idAt(before)}`]),
    ];
    return conditions.length === 0 ? "true" : `(${conditions.join(" and ")})`;
  }
}

function indexOf(part: SearchPart): number {
  return searchParts.indexOf(part);
}

/** Joins conditions as a tree: SQLite limits the depth of expressions. */
function balanced(conditions: readonly string[], operator: "and" | "or"): string {
  if (conditions.length <= 8) return conditions.join(` ${operator} `);
  const middle = conditions.length >> 1;
  const halves = [conditions.slice(0, middle), conditions.slice(middle)];
  return halves.map((half) => `(${balanced(half, operator)})`).join(` ${operator} `);
}

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
