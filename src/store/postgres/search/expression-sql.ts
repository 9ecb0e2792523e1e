import { encodeMessageId } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import { flagBits } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import type { SearchExpression, SearchTerm } from "../../../core/search/search-expression.ts";
import { searchParts, wholeValue, type SearchPart } from "../../../core/search/search-fields.ts";
import { uuidArray } from "../connection/arrays.ts";
import { containing } from "../connection/text.ts";
import { addressKey } from "../messages/address-keys.ts";

/** Messages that an expression is about. */
export interface ExpressionScope {
  readonly server: ServerId;
  readonly direction: Direction;
  /** All tags of the marks of the server. */
  readonly tags: readonly string[];
}

/** Condition on `message m`, with the parameter `:server`. */
export interface ExpressionSql {
  /** Condition without the implied term; empty when nothing is left. */
  readonly condition: string;
  readonly wholeCondition: string;
  /** The whole condition when no body contains any term; messages that match otherwise are candidates of the text index. */
  readonly conditionWithoutBodies: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const partOf = (part: SearchPart): string => `split_part(m.fields, chr(1), ${searchParts.indexOf(part) + 1})`;
const flags = `coalesce((select k.flags from mark k
  where k.server_id = :server::bigint and k.epoch = m.epoch and k.slot = m.slot), 0)`;

/** Writes the condition of an expression; `implied` is a term of it that all compared messages meet, null for none. */
export function writeExpression(
  expression: SearchExpression,
  scope: ExpressionScope,
  implied: SearchTerm | null,
): ExpressionSql {
  const writer = new ExpressionWriter(scope);
  const parts = expression.kind === "and" ? expression.of : [expression];
  const rest = parts.filter((part) => part !== implied).map((part) => writer.write(part));
  const all = rest.length < parts.length && implied !== null ? [writer.write(implied), ...rest] : rest;
  const wholeCondition = all.length === 0 ? "true" : `(${all.join(" and ")})`;
  return {
    condition: rest.length === 0 ? "" : `(${rest.join(" and ")})`,
    wholeCondition,
    conditionWithoutBodies: wholeCondition.replaceAll(/\(m\.body like [^)]*\)/g, "false"),
    values: writer.values,
  };
}

/** Writers of the conditions of terms. */
type TermWriters = { readonly [Kind in SearchTerm["kind"]]: (term: TermOf<Kind>) => string };
type TermOf<Kind extends SearchTerm["kind"]> = Extract<SearchTerm, { readonly kind: Kind }>;

class ExpressionWriter {
  readonly values: Record<string, unknown> = {};
  readonly #scope: ExpressionScope;
  #count = 0;

  constructor(scope: ExpressionScope) {
    this.#scope = scope;
  }

  write(expression: SearchExpression): string {
    if (expression.kind === "not") return `not ${this.write(expression.of)}`;
    if (expression.kind !== "and" && expression.kind !== "or") return this.#term(expression);
    if (expression.of.length === 0) return expression.kind === "and" ? "true" : "false";
    return `(${expression.of.map((one) => this.write(one)).join(` ${expression.kind} `)})`;
  }

  #parameter(value: unknown, type: string): string {
    this.#count += 1;
    const name = `p${this.#count}`;
    this.values[name] = value;
    return `:${name}::${type}`;
  }

  #term<Kind extends SearchTerm["kind"]>(term: TermOf<Kind>): string {
    return (this.#writers[term.kind] as (term: TermOf<Kind>) => string)(term);
  }

  readonly #writers: TermWriters = {
    always: () => "true",
    header: () => {
      throw new Error("stores do not compare header fields");
    },
    key: ({ role, key }) =>
      role === "tag"
        ? this.#hasTags([key])
        : `(position(${this.#parameter(addressKey(role, key), "bytea")} in m.addresses) % 16 = 1)`,
    text: ({ field, term }) => `(m.${field} like ${this.#parameter(containing(term), "text")})`,
    part: ({ part, term }) =>
      `(${part === "any" ? "m.fields" : partOf(part)} like ${this.#parameter(containing(term), "text")})`,
    present: ({ part }) => `(${partOf(part)} <> '')`,
    flag: ({ flag }) => `(${flags} & ${flagBits([flag])} <> 0)`,
    size: ({ comparison, bytes }) =>
      `(m.size ${comparison === "larger" ? ">" : "<"} ${this.#parameter(bytes, "float8")})`,
    type: ({ type }) => `(m.size ${type === "SMS" ? "=" : "<>"} 0)`,
    received: (term) => this.#received(term),
    sequence: ({ ranges }) => {
      const first = this.#parameter(`{${ranges.map(([start]) => start).join(",")}}`, "float8[]");
      const last = this.#parameter(`{${ranges.map(([, end]) => end).join(",")}}`, "float8[]");
      return `(exists (select 1 from unnest(${first}, ${last}) r(a, z) where m.sequence between r.a and r.z))`;
    },
    tagged: (term) => this.#tags(term),
    tag: (term) => this.#tags(term),
    tagText: (term) => this.#tags(term),
  };

  #tags(term: TermOf<"tagged" | "tag" | "tagText">): string {
    const own = matchingTags(term, this.#scope.tags);
    const ofProvider =
      term.kind === "tagged"
        ? `${partOf("tag")} <> ''`
        : `${partOf("tag")} like ${this.#parameter(containing(term.kind === "tag" ? wholeValue(term.tag) : term.term), "text")}`;
    return own.length === 0 ? `(${ofProvider})` : `(${ofProvider} or ${this.#hasTags(own)})`;
  }

  #hasTags(tags: readonly string[]): string {
    const keys = this.#parameter(uuidArray(tags.map((tag) => addressKey("tag", tag))), "uuid[]");
    return `(exists (select 1 from address t
      where t.server_id = :server::bigint and t.epoch = m.epoch and t.key = any(${keys}) and t.slot = m.slot))`;
  }

  #received({ from, before }: TermOf<"received">): string {
    const { server, direction } = this.#scope;
    const slotAt = (at: number): string => {
      const receivedAt = Math.min(Math.max(0, Math.ceil(at)), receivedAtMax);
      return this.#parameter(encodeMessageId({ server, direction, receivedAt, random: 0 }), "uuid");
    };
    const conditions = [
      ...(from === null ? [] : [from > receivedAtMax ? "false" : `m.slot >= ${slotAt(from)}`]),
      ...(before === null || before > receivedAtMax ? [] : [`m.slot < ${slotAt(before)}`]),
    ];
    return conditions.length === 0 ? "true" : `(${conditions.join(" and ")})`;
  }
}

const receivedAtMax = 2 ** 47 - 1;
