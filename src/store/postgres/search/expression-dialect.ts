import { searchParts, wholeValue } from "../../../core/search/search-fields.ts";
import { containing, presentPattern, type ExpressionDialect, type PresentPart } from "../../search/expression-sql.ts";
import { uuidArray } from "../connection/parameters.ts";
import { addressKey } from "../messages/address-keys.ts";
import { slotOf } from "../messages/id-slots.ts";

/** Returns the condition that a part has a value; as the index of these messages has it, so that it is used. */
export function hasPart(part: PresentPart): string {
  return `fields like ${presentPattern(part, "%")}`;
}

const partAt = (index: number): string => `split_part(m.fields, chr(1), ${index + 1})`;
const tagPart = partAt(searchParts.indexOf("tag"));
const contains: ExpressionDialect["contains"] = (text, term, add) => `${text} like ${add(containing(term), "text")}`;

/** Conditions of PostgreSQL on `message m`, with the parameter `:server`. Tags of providers are search fields. */
export const postgresExpressions: ExpressionDialect = {
  message: {
    id: "m.slot",
    subject: "m.subject",
    fields: "m.fields",
    size: "m.size",
    sequence: "m.sequence",
    flags: `coalesce((select k.flags from mark k
      where k.server_id = :server::bigint and k.epoch = m.epoch and k.slot = m.slot), 0)`,
  },
  parameter: (name, type) => `:${name}::${type}`,
  contains,
  bodyContains: (_, term, add) => contains("m.body", term, add),
  part: partAt,
  hasPart,
  hasKey: (role, key, add) =>
    role === "tag"
      ? postgresExpressions.hasTags([key], add)
      : `position(${add(addressKey(role, key), "bytea")} in m.addresses) % 16 = 1`,
  hasTags: (tags, add) => `exists (select 1 from address t
    where t.server_id = :server::bigint and t.epoch = m.epoch
      and t.key = any(${add(uuidArray(tags.map((tag) => addressKey("tag", tag))), "uuid[]")}) and t.slot = m.slot)`,
  hasOtherTags: (term, add) =>
    term.kind === "tagged"
      ? `${tagPart} <> ''`
      : contains(tagPart, term.kind === "tag" ? wholeValue(term.tag) : term.term, add),
  id: (id) => [slotOf(id), "uuid"],
  isWithin: (value, ranges, add) => {
    const first = add(`{${ranges.map(([start]) => start).join(",")}}`, "float8[]");
    const last = add(`{${ranges.map(([, end]) => end).join(",")}}`, "float8[]");
    return `exists (select 1 from unnest(${first}, ${last}) r(a, z) where ${value} between r.a and r.z)`;
  },
};
