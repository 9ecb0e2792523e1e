import type { FoldedCriteria } from "../store.ts";
import { addressKey } from "./address-keys.ts";
import { containing } from "./text.ts";

/**
 * How a search is done. `source` is what it goes through, newest first: the rows of one address where every match must
 * have that address, else all messages of the range; either has `slot` and, behind `m.`, the message's columns.
 */
export interface SearchPlan {
  readonly source: string;
  /** What a message must meet beside its range; empty where the source says it all. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const epoch = "(select epoch from server where server_id = :server::bigint)";

const allMessages = `message m where m.server_id = :server::bigint and m.epoch = ${epoch}
  and m.slot between :first::uuid and :last::uuid`;

/** `offset 0` keeps the planner from turning the look-ups into a join that reads and sorts all of the server. */
const messagesOfAddress = `address a cross join lateral (
    select slot, sequence, summary, subject, body, addresses from message
    where server_id = :server::bigint and epoch = ${epoch} and slot = a.slot offset 0
  ) m where a.server_id = :server::bigint and a.epoch = ${epoch} and a.key = :address::uuid
  and a.slot between :first::uuid and :last::uuid`;

/** What every message of a server goes through. */
export const wholePlan: SearchPlan = { source: allMessages, condition: "", values: {} };

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
    source: source === undefined ? allMessages : messagesOfAddress,
    condition: conditions.length === 0 ? "" : `(${conditions.join(isAny ? " or " : " and ")})`,
    values,
  };
}

function isGiven(criterion: string | undefined): boolean {
  return criterion !== undefined;
}
