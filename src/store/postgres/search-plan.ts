import type { FoldedCriteria } from "../store.ts";
import { addressKey } from "./address-keys.ts";
import { containing } from "./text.ts";

/**
 * How a search is done. `source` is what it goes through, newest first: the rows of one address where every match must
 * have that address, else all messages of the range; the message's columns are behind `m.`.
 */
export interface SearchPlan {
  readonly source: string;
  readonly slot: "m.slot" | "a.slot";
  /** The columns of an index by which it is in order: all but the slot are the same in all of it. */
  readonly order: string;
  /** What a message must meet beside its range; empty where the source says it all. */
  readonly condition: string;
  /** Whether messages have to be looked at one by one. */
  readonly readsTexts: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

const epoch = "(select epoch from server where server_id = :server::bigint)";

/**
 * Ranges are compared as rows. Server, epoch and slot say much the same, and the planner, who takes them for independent,
 * would expect a handful of messages wherever there are thousands, and read and sort them all. Of a row it judges the
 * first column only, so that it expects many and follows the index, which has them in order, until the page is full.
 */
const allMessages = `message m where m.server_id = :server::bigint
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
  order: "m.epoch desc, m.slot desc",
  condition: "",
  readsTexts: false,
  values: {},
};

const addressPlan: SearchPlan = {
  source: messagesOfAddress,
  slot: "a.slot",
  order: "a.epoch desc, a.key desc, a.slot desc",
  condition: "",
  readsTexts: false,
  values: {},
};

/** Chooses the narrowest way. */
export function planSearch({ sentFrom, sentTo, subject, body, match }: FoldedCriteria): SearchPlan {
  const values: Record<string, unknown> = {};
  const addresses: Buffer[] = [];
  if (sentTo !== undefined) addresses.push(addressKey("to", sentTo));
  if (sentFrom !== undefined) addresses.push(addressKey("from", sentFrom));
  const isAny = match === "ANY" && Object.values({ sentFrom, sentTo, subject, body }).filter(isGiven).length > 1;
  const source = isAny ? undefined : addresses.shift();
  if (source !== undefined) values["address"] = source.toString("hex");
  const conditions = addresses.map((key, index) => {
    values[`key${index}`] = key;
    return `position(:key${index}::bytea in m.addresses) % 16 = 1`;
  });
  for (const [name, text] of [
    ["subject", subject],
    ["body", body],
  ] as const) {
    if (text === undefined) continue;
    values[name] = containing(text);
    conditions.push(`m.${name} like :${name}::text`);
  }
  return {
    ...(source === undefined ? wholePlan : addressPlan),
    condition: conditions.length === 0 ? "" : `(${conditions.join(isAny ? " or " : " and ")})`,
    readsTexts: conditions.length > 0,
    values,
  };
}

function isGiven(criterion: string | undefined): boolean {
  return criterion !== undefined;
}
