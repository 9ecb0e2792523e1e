import type { SQLInputValue } from "node:sqlite";
import { encodeIdBytes } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import { flagBits } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { hasPart } from "./present-parts.ts";
import { partNumber } from "./search-functions.ts";

/** Messages that an expression is about. */
export interface ExpressionScope {
  readonly server: ServerId;
  readonly direction: Direction;
  /** All tags in the server, including those of providers. */
  readonly tags: readonly string[];
}

/** Term that the body of a message must contain, and the parameter that tells whether it does. */
export interface BodyTerm {
  readonly parameter: string;
  readonly pattern: Buffer;
}

/**
 * Condition on `subject s` in SQL, with parameters for `:epoch` and the ids `:first` to `:last`. Bodies are compressed, so
 * SQL cannot compare them: each term of a body is a parameter, null as long as the body is not known.
 */
export interface ExpressionSql {
  readonly condition: string;
  readonly parameters: Readonly<Record<string, SQLInputValue>>;
  readonly bodyTerms: readonly BodyTerm[];
}

const flags = "coalesce((select k.flags from mark k where k.epoch = s.epoch and k.id = s.id), 0)";

/** Writes the condition of an expression. */
export function writeExpression(expression: SearchExpression, scope: ExpressionScope): ExpressionSql {
  const writer = new ExpressionWriter(scope);
  const condition = writer.write(expression);
  const { parameters, bodyTerms } = writer;
  return { condition, parameters, bodyTerms: [...bodyTerms.values()] };
}

/** Writers of the conditions of terms. */
type TermWriters = { readonly [Kind in SearchTerm["kind"]]: (term: TermOf<Kind>) => string };
type TermOf<Kind extends SearchTerm["kind"]> = Extract<SearchTerm, { readonly kind: Kind }>;

class ExpressionWriter {
  readonly parameters: Record<string, SQLInputValue> = {};
  /** By term. */
  readonly bodyTerms = new Map<string, BodyTerm>();
  readonly #scope: ExpressionScope;
  #count = 0;

  constructor(scope: ExpressionScope) {
    this.#scope = scope;
  }

  write(expression: SearchExpression): string {
    if (expression.kind === "not") return `not ${this.write(expression.of)}`;
    if (expression.kind !== "and" && expression.kind !== "or") return this.#term(expression);
    if (expression.of.length === 0) return expression.kind === "and" ? "1" : "0";
    return `(${balanced(
      expression.of.map((one) => this.write(one)),
      expression.kind,
    )})`;
  }

  #parameter(value: SQLInputValue): string {
    this.#count += 1;
    const name = `p${this.#count}`;
    this.parameters[name] = value;
    return `:${name}`;
  }

  #term<Kind extends SearchTerm["kind"]>(term: TermOf<Kind>): string {
    return (this.#writers[term.kind] as (term: TermOf<Kind>) => string)(term);
  }

  readonly #writers: TermWriters = {
    always: () => "1",
    header: () => {
      throw new Error("stores do not compare header fields");
    },
    key: ({ role, key }) => this.#hasKey(keyRoles[role], `= ${this.#parameter(key)}`),
    text: ({ field, term }) => (field === "body" ? this.#body(term) : `(${this.#contains("s.text", term)})`),
    part: ({ part, term }) => {
      const anywhere = this.#contains("s.fields", term);
      if (part === "any") return `(${anywhere})`;
      return `(${anywhere} and ${this.#contains(`part_of(s.fields, ${partNumber(part)})`, term)})`;
    },
    present: ({ part }) => `(${hasPart(part)})`,
    flag: ({ flag }) => `(${flags} & ${flagBits([flag])} <> 0)`,
    size: ({ comparison, bytes }) => `(s.size ${comparison === "larger" ? ">" : "<"} ${this.#parameter(bytes)})`,
    type: ({ type }) => `(s.size ${type === "SMS" ? "=" : "<>"} 0)`,
    received: (term) => this.#received(term),
    sequence: ({ ranges }) => this.#sequence(ranges),
    tagged: (term) => this.#tags(matchingTags(term, this.#scope.tags)),
    tag: (term) => this.#tags(matchingTags(term, this.#scope.tags)),
    tagText: (term) => this.#tags(matchingTags(term, this.#scope.tags)),
  };

  /** LIKE takes half the time of `instr`; it ignores the case of ASCII letters, which folded texts have in one case only. */
  #contains(text: string, term: string): string {
    if (term.length > likeLengthMax) return `instr(${text}, ${this.#parameter(term)}) > 0`;
    const pattern = `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    return `${text} like ${this.#parameter(pattern)} escape '\\'`;
  }

  #hasKey(role: number, comparison: string): string {
    return `(s.id in (select a.id from address a where a.epoch = :epoch and a.role = ${role}
      and a.address ${comparison} and a.id between :first and :last))`;
  }

  #tags(tags: readonly string[]): string {
    if (tags.length === 0) return "0";
    return this.#hasKey(keyRoles.tag, `in (select value from json_each(${this.#parameter(JSON.stringify(tags))}))`);
  }

  #body(term: string): string {
    const known = this.bodyTerms.get(term);
    if (known !== undefined) return `:${known.parameter}`;
    const parameter = `body${this.bodyTerms.size}`;
    this.bodyTerms.set(term, { parameter, pattern: Buffer.from(term) });
    return `:${parameter}`;
  }

  #received({ from, before }: TermOf<"received">): string {
    const { server, direction } = this.#scope;
    const idAt = (at: number): string => {
      const receivedAt = Math.min(Math.max(0, Math.ceil(at)), receivedAtMax);
      return this.#parameter(encodeIdBytes({ server, direction, receivedAt, random: 0 }));
    };
    const conditions = [
      ...(from === null ? [] : [from > receivedAtMax ? "0" : `s.id >= ${idAt(from)}`]),
      ...(before === null || before > receivedAtMax ? [] : [`s.id < ${idAt(before)}`]),
    ];
    return conditions.length === 0 ? "1" : `(${conditions.join(" and ")})`;
  }

  #sequence(ranges: readonly (readonly [number, number])[]): string {
    const sequence = "(select m.sequence from message m where m.epoch = s.epoch and m.id = s.id)";
    const list = this.#parameter(JSON.stringify(ranges));
    return `(exists (select 1 from json_each(${list}) r
      where ${sequence} between json_extract(r.value, '$[0]') and json_extract(r.value, '$[1]')))`;
  }
}

/** Characters of a term up to which its pattern is within the limit of SQLite, 50,000 bytes. */
const likeLengthMax = 5000;

const receivedAtMax = 2 ** 47 - 1;

/** Joins conditions as a tree: SQLite limits the depth of expressions. */
function balanced(conditions: readonly string[], operator: "and" | "or"): string {
  if (conditions.length <= 8) return conditions.join(` ${operator} `);
  const middle = conditions.length >> 1;
  const halves = [conditions.slice(0, middle), conditions.slice(middle)];
  return halves.map((half) => `(${balanced(half, operator)})`).join(` ${operator} `);
}
