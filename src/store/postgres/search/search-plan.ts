import { givenCriteria, keyCriteria, textCriteria } from "../../../core/criteria.ts";
import type { KeyRole, TextField } from "../../../core/criteria.ts";
import type { FoldedCriteria } from "../../store.ts";
import { conditionOfTexts, type TextCondition } from "../../signatures/text-condition.ts";
import { addressKey } from "../messages/address-keys.ts";
import { containing } from "../connection/text.ts";

/**
 * Plan of a search. `source` is scanned newest first: the rows of one address when every match must have that address, else
 * all messages of the range; the columns of the message have the prefix `m.`.
 */
export interface SearchPlan {
  readonly source: string;
  readonly slot: "m.slot" | "a.slot";
  /** Columns of the index that orders the source; all but the slot are constant. */
  readonly keys: readonly string[];
  /** Condition besides the range; empty when the source implies it. */
  readonly condition: string;
  /** True when the condition must be evaluated for each message. */
  readonly readsTexts: boolean;
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
  readsTexts: false,
  wholeCondition: "",
  indexed: conditionOfTexts([], "ALL"),
  otherKeys: [],
  conditionWithoutTexts: null,
  selected: "m.summary",
  values: {},
};

/** Plan over the messages of the key `:address`. */
export const addressPlan: SearchPlan = {
  source: messagesOfAddress,
  slot: "a.slot",
  keys: ["epoch", "key", "slot"],
  condition: "",
  readsTexts: false,
  wholeCondition: "",
  indexed: conditionOfTexts([], "ALL"),
  otherKeys: [],
  conditionWithoutTexts: null,
  selected: "m.summary",
  values: {},
};

/** Returns the plan over the messages whose marks, `mark a`, meet a condition. */
export function planOfMarks(condition: string): SearchPlan {
  return { ...wholePlan, source: `${messagesOfMarks} and ${condition}`, slot: "a.slot" };
}

/** Returns the plan that scans the fewest messages. */
export function planSearch(criteria: FoldedCriteria): SearchPlan {
  const values: Record<string, unknown> = {};
  const addresses = addressKeysOf(criteria);
  const isAny = criteria.match === "ANY" && givenCriteria(criteria).length > 1;
  const source = isAny ? undefined : addresses[0];
  if (source !== undefined) values["address"] = source.key.toString("hex");
  const hasAddress = addresses.map(({ role, key }, index) => {
    values[`key${index}`] = role === "tag" ? key.toString("hex") : key;
    return role === "tag" ? hasTag(`:key${index}::uuid`) : `position(:key${index}::bytea in m.addresses) % 16 = 1`;
  });
  const hasTexts: Record<TextField, readonly string[]> = { subject: [], body: [] };
  for (const { field, term } of textCriteria(criteria)) {
    values[field] = containing(term);
    hasTexts[field] = [`m.${field} like :${field}::text`];
  }
  const conditions = [...hasAddress, ...hasTexts.subject, ...hasTexts.body];
  const join = (some: readonly string[]): string =>
    some.length === 0 ? "" : `(${some.join(isAny ? " or " : " and ")})`;
  const unimplied = conditions.slice(source === undefined ? 0 : 1);
  return {
    ...(source === undefined ? wholePlan : addressPlan),
    condition: join(unimplied),
    readsTexts: unimplied.length > 0,
    wholeCondition: join(conditions),
    indexed: indexedTextsOf(criteria, isAny),
    values,
  };
}

/** Returns the condition of the texts of matches; one that every message meets when there are other matches. */
function indexedTextsOf(criteria: FoldedCriteria, isAny: boolean): TextCondition {
  const texts = textCriteria(criteria).filter(({ term }) => term !== "");
  const isComplete = !isAny || texts.length === givenCriteria(criteria).length;
  return conditionOfTexts(isComplete ? texts : [], isAny ? "ANY" : "ALL");
}

/** Rarest first: a test's own address is rarer than the sender of its application. */
const rarity: Readonly<Record<KeyRole, number>> = { providerId: 0, to: 1, tag: 2, from: 3, provider: 4 };

function addressKeysOf(criteria: FoldedCriteria): readonly { readonly role: KeyRole; readonly key: Buffer }[] {
  return keyCriteria(criteria)
    .toSorted((one, other) => rarity[one.role] - rarity[other.role])
    .map(({ role, key }) => ({ role, key: addressKey(role, key) }));
}

/** Returns the condition that a message has a tag; those that it got after its arrival are not in its row. */
function hasTag(key: string): string {
  return `exists (select 1 from address t
    where t.server_id = :server::bigint and t.epoch = m.epoch and t.key = ${key} and t.slot = m.slot)`;
}

/** Returns the `order by` columns that sort rows of the source, with this alias, newest first. */
export function newestFirst({ keys }: SearchPlan, name: string): string {
  return keys.map((key) => `${name}.${key} desc`).join(", ");
}

/**
 * Returns a condition for messages committed after a sequence number. When the journal reaches back to it, the oldest of
 * these messages bounds the scan. (12 bits of its id are cleared, two more than a slot leaves out, because text allows no
 * fewer.)
 */
export function laterThan(slot: SearchPlan["slot"], bound: string): string {
  return `m.sequence > ${bound} and ${slot} >= (
    select case when exists (select 1 from change where server_id = :server::bigint and sequence = ${bound} + 1)
      then (select (left(id::text, 33) || '000')::uuid from change
        where server_id = :server::bigint and sequence > ${bound} and kind < 2 and id between :first::uuid and :last::uuid
        order by id limit 1)
      when (select sequence from server where server_id = :server::bigint) <= ${bound} then null
      else :first::uuid end)`;
}
