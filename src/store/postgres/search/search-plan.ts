import {
  addressCriteria,
  givenCriteria,
  textCriteria,
  type AddressRole,
  type TextField,
} from "../../../core/criteria.ts";
import type { FoldedCriteria } from "../../store.ts";
import { addressKey } from "../messages/address-keys.ts";
import { containing } from "../connection/text.ts";

/**
 * How a search is done. `source` is what it goes through, newest first: the rows of one address where every match must
 * have that address, else all messages of the range; the message's columns are behind `m.`.
 */
export interface SearchPlan {
  readonly source: string;
  readonly slot: "m.slot" | "a.slot";
  /** The columns of an index by which it is in order: all but the slot are the same in all of it. */
  readonly keys: readonly string[];
  /** What a message must meet beside its range; empty where the source says it all. */
  readonly condition: string;
  /** Whether messages have to be looked at one by one. */
  readonly readsTexts: boolean;
  /** What a message must meet beside having the wanted body; null where others may match too. */
  readonly besideBody: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

const epoch = "(select epoch from server where server_id = :server::bigint)";

/**
 * Ranges are compared as rows. Server, epoch and slot say much the same, and the planner, who takes them for independent,
 * would expect a handful of messages wherever there are thousands, and read and sort them all. Of a row it judges the
 * first column only, so that it expects many and follows the index, which has them in order, until the page is full.
 */
export const allMessages: string = `message m where m.server_id = :server::bigint
  and (m.epoch, m.slot) >= (${epoch}, :first::uuid) and (m.epoch, m.slot) <= (${epoch}, :last::uuid)`;

/** `offset 0` keeps the planner from turning the look-ups into a join. */
const messagesOfAddress = `address a cross join lateral (
    select sequence, summary, subject, body, addresses from message
    where server_id = :server::bigint and epoch = a.epoch and slot = a.slot offset 0
  ) m where a.server_id = :server::bigint and (a.epoch, a.key, a.slot) >= (${epoch}, :address::uuid, :first::uuid)
  and (a.epoch, a.key, a.slot) <= (${epoch}, :address::uuid, :last::uuid)`;

/** What every message of a server goes through. */
export const wholePlan: SearchPlan = {
  source: allMessages,
  slot: "m.slot",
  keys: ["epoch", "slot"],
  condition: "",
  readsTexts: false,
  besideBody: null,
  values: {},
};

const addressPlan: SearchPlan = {
  source: messagesOfAddress,
  slot: "a.slot",
  keys: ["epoch", "key", "slot"],
  condition: "",
  readsTexts: false,
  besideBody: null,
  values: {},
};

/** Chooses the narrowest way. */
export function planSearch(criteria: FoldedCriteria): SearchPlan {
  const values: Record<string, unknown> = {};
  const addresses = addressKeysOf(criteria);
  const isAny = criteria.match === "ANY" && givenCriteria(criteria).length > 1;
  const source = isAny ? undefined : addresses[0];
  if (source !== undefined) values["address"] = source.toString("hex");
  const hasAddress = addresses.map((key, index) => {
    values[`key${index}`] = key;
    return `position(:key${index}::bytea in m.addresses) % 16 = 1`;
  });
  const hasTexts: Record<TextField, readonly string[]> = { subject: [], body: [] };
  for (const { field, term } of textCriteria(criteria)) {
    values[field] = containing(term);
    hasTexts[field] = [`m.${field} like :${field}::text`];
  }
  const { body, ...besideBody } = hasTexts;
  const columns = [...hasAddress, ...Object.values(besideBody).flat()];
  const conditions = [...columns.slice(source === undefined ? 0 : 1), ...body];
  return {
    ...(source === undefined ? wholePlan : addressPlan),
    condition: conditions.length === 0 ? "" : `(${conditions.join(isAny ? " or " : " and ")})`,
    readsTexts: conditions.length > 0,
    besideBody: body.length === 0 || isAny ? null : columns.join(" and "),
    values,
  };
}

/** Recipients first: a test's own address is rarer than the sender of its application. */
const rarity: Readonly<Record<AddressRole, number>> = { to: 0, from: 1 };

function addressKeysOf(criteria: FoldedCriteria): readonly Buffer[] {
  return addressCriteria(criteria)
    .toSorted((one, other) => rarity[one.role] - rarity[other.role])
    .map(({ role, address }) => addressKey(role, address));
}

/** The columns by which rows of a plan's source, under this name, are newest first. */
export function newestFirst({ keys }: SearchPlan, name: string): string {
  return keys.map((key) => `${name}.${key} desc`).join(", ");
}

/**
 * Only what was committed after a number. Where the journal reaches back so far, it tells the oldest of these, so that
 * nothing older has to be looked at; `top` is no less than any of the ids that count. (Twelve bits of that id are cleared, two more than make a slot: text can do no less.)
 */
export function laterThan(slot: SearchPlan["slot"], bound: string, top = ":last::uuid"): string {
  return `m.sequence > ${bound} and ${slot} >= (
    select case when exists (select 1 from change where server_id = :server::bigint and sequence = ${bound} + 1)
      then (select (left(id::text, 33) || '000')::uuid from change
        where server_id = :server::bigint and sequence > ${bound} and kind < 2 and id between :first::uuid and ${top}
        order by id limit 1)
      else :first::uuid end)`;
}
