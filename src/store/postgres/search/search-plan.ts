import {
  type TextCondition,
  hasText,
  narrowOne,
  narrowSearch,
  ofKeys,
  type NarrowedSearch,
  type TagTerm,
} from "../../signatures/text-condition.ts";
import { occurringTerms, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
import { matchingTags } from "../../../core/search/build-expression.ts";
import { wholeValue } from "../../../core/search/search-fields.ts";
import { writeExpression, type ExpressionScope, indexedTerms } from "../../search/expression-sql.ts";
import { addressKey } from "../messages/address-keys.ts";
import { postgresExpressions, hasPart } from "./expression-dialect.ts";
import { flagBits } from "../../../core/marks.ts";

/**
 * Plan of a search. `source` is scanned newest first: the rows of one address when every match must have that address, else
 * all messages of the range; the columns of the message have the prefix `m.`.
 */
export interface SearchPlan {
  readonly source: string;
  readonly slot: "m.slot" | "a.slot";
  /** Columns of the index that orders the source; all but the slot are constant. */
  readonly keys: readonly string[];
  /** Condition besides the range, which must be evaluated for each message; empty when the source implies it. */
  readonly condition: string;
  /** The same, including conditions that the source implies. */
  readonly wholeCondition: string;
  /** Condition by which the text index narrows the search; without terms when it does not. */
  readonly indexed: TextCondition;
  /** Keys of matches that do not meet {@link indexed}. */
  readonly otherKeys: readonly Buffer[];
  /** Condition of further matches that do not meet {@link indexed}; null when there are none. */
  readonly conditionWithoutTexts: string | null;
  /** Column or expression that the page consists of. */
  readonly selected: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const epoch = "(select epoch from server where server_id = :server::bigint)";

/**
 * Ranges are compared as rows. Server, epoch and slot are correlated, but the planner takes them for independent: it would
 * estimate a few messages where there are thousands, then read and sort them all. For row comparisons it estimates by the
 * first column only, expects many rows and follows the ordered index until the page is full.
 */
export const allMessages: string = `message m where m.server_id = :server::bigint
  and (m.epoch, m.slot) >= (${epoch}, :first::uuid) and (m.epoch, m.slot) <= (${epoch}, :last::uuid)`;

/** Columns that conditions and pages use. */
export const comparedColumns =
  "id, slot, epoch, sequence, summary, subject, body, addresses, fields, size, raw_size, raw";

/** `offset 0` keeps the planner from turning the look-ups into a join. */
const messagesOfRows = `cross join lateral (
    select ${comparedColumns} from message
    where server_id = :server::bigint and epoch = a.epoch and slot = a.slot offset 0
  ) m where a.server_id = :server::bigint`;

const messagesOfAddress = `address a ${messagesOfRows} and (a.epoch, a.key, a.slot) >= (${epoch}, :address::uuid, :first::uuid)
  and (a.epoch, a.key, a.slot) <= (${epoch}, :address::uuid, :last::uuid)`;

const messagesOfMarks = `mark a ${messagesOfRows}
  and (a.epoch, a.slot) >= (${epoch}, :first::uuid) and (a.epoch, a.slot) <= (${epoch}, :last::uuid)`;

/** Plan over all messages of a server. */
export const wholePlan: SearchPlan = {
  source: allMessages,
  slot: "m.slot",
  keys: ["epoch", "slot"],
  condition: "",
  wholeCondition: "",
  indexed: { kind: "and", of: [] },
  otherKeys: [],
  conditionWithoutTexts: null,
  selected: "m.summary",
  values: {},
};

/** Plan over the messages of the key `:address`. */
const addressPlan: SearchPlan = {
  ...wholePlan,
  source: messagesOfAddress,
  slot: "a.slot",
  keys: ["epoch", "key", "slot"],
};

/** Returns the plan over the messages whose marks, `mark a`, meet a condition. */
function planOfMarks(condition: string): SearchPlan {
  return { ...wholePlan, source: `${messagesOfMarks} and ${condition}`, slot: "a.slot" };
}

/** Returns the `order by` columns that sort rows of the source, with this alias, newest first. */
export function newestFirst({ keys }: Pick<SearchPlan, "keys">, name: string): string {
  return keys.map((key) => `${name}.${key} desc`).join(", ");
}

/** Returns a condition for messages committed after the sequence number `:after`. The oldest of these bounds the scan. */
export function laterThan(slot: SearchPlan["slot"]): string {
  return `m.sequence > :after::bigint and ${slot} >= (select slot from (
    select slot from message where server_id = :server::bigint and epoch = ${epoch} and sequence > :after::bigint offset 0
  ) later order by slot limit 1)`;
}

/** Returns the plan of a search by an expression, over the messages of {@link sourcePlanOf}. */
export function planSearch(expression: SearchExpression, scope: ExpressionScope): SearchPlan {
  const { plan: source, key } = sourceOf(expression);
  const written = writeExpression(postgresExpressions, expression, { ...scope, implied: key });
  const { condition, wholeCondition, values } = written;
  const indexed = narrowSearch(expression, (term) => narrowTags(term, scope.tags));
  const conditionWithoutBodies = written.conditionWithoutBodies();
  const excludesBodies = occurringTerms(expression).some(
    ({ term, isNegated }) => isNegated && term.kind === "text" && term.field === "body",
  );
  // Where bodies are excluded, most messages match as long as they are not compared.
  const withoutBodies = excludesBodies ? `(${conditionWithoutBodies} and ${wholeCondition})` : conditionWithoutBodies;
  return {
    ...wholePlan,
    ...source,
    condition,
    wholeCondition,
    indexed: indexed.condition,
    otherKeys: indexed.keys.map((one) => addressKey(one.role, one.key)),
    conditionWithoutTexts: indexed.isNarrowedByTexts ? null : withoutBodies,
    values: { ...values, ...source.values },
  };
}

/** Returns what every match of a condition on tags meets: tags of providers are search fields, others are keys. */
function narrowTags(term: TagTerm, tags: readonly string[]): NarrowedSearch {
  if (term.kind === "tagged") return { condition: { kind: "and", of: [] }, keys: [] };
  const ofProvider = hasText("fields", term.kind === "tag" ? wholeValue(term.tag) : term.term);
  const own = matchingTags(term, tags).map((key) => ({ role: "tag" as const, key }));
  return narrowOne([{ condition: ofProvider, keys: [] }, ofKeys(own)]);
}

/** Plan of the source of an expression, and the key that leads directly to its messages; null where there is none. */
interface MessageSource {
  readonly plan: Pick<SearchPlan, "source" | "slot" | "keys" | "values">;
  readonly key: SearchTerm | null;
}

/** Returns the source of a condition that every match meets and that has an index, or of all messages. */
function sourceOf(expression: SearchExpression): MessageSource {
  for (const term of indexedTerms(expression)) {
    const plan = planOf(term);
    if (plan !== undefined) return { plan, key: term.kind === "key" ? term : null };
  }
  return { plan: wholePlan, key: null };
}

function planOf(term: SearchTerm): MessageSource["plan"] | undefined {
  if (term.kind === "key") {
    return { ...addressPlan, values: { address: addressKey(term.role, term.key).toString("hex") } };
  }
  if (term.kind === "flag") return planOfMarks(`a.flags & ${flagBits([term.flag])} <> 0`);
  return term.kind === "present" ? { ...wholePlan, source: `${allMessages} and ${hasPart(term.part)}` } : undefined;
}
