/** Conditions of deliveries, for reads and writes. */
import type { ServerId } from "../../core/ids.ts";
import type { CallbackStatus, DeliveryFilter } from "../callback-store.ts";
import type { SqlDialect } from "../sql/dialect.ts";

/** Condition of deliveries that exist: those of removed targets wait for their purge. */
export const isVisible: string =
  "(target is null or exists (select 1 from callback_target t where t.id = callback_delivery.target))";

/** Returns the encoded attempts of a row. */
export function splitAttempts(lines: string): readonly string[] {
  return lines === "" ? [] : lines.split("\n");
}

/** The words of the partial index of those that were not delivered. */
const statusConditions: Readonly<Record<CallbackStatus, string>> = {
  Pending: "status <> 'Delivered' and status = 'Pending'",
  Delivered: "status = 'Delivered'",
  Failed: "status <> 'Delivered' and status = 'Failed'",
  Cancelled: "status <> 'Delivered' and status = 'Cancelled'",
  Quarantined: "status <> 'Delivered' and status = 'Quarantined'",
};

/**
 * Returns the condition of a filter, and the values of its parameters from `$1` on. A `+` keeps SQLite from using an index on
 * a column that selects less than another one.
 */
export function filterConditions(
  { name }: SqlDialect,
  server: ServerId,
  { target, message, status, type, since, before }: DeliveryFilter,
): { readonly condition: string; readonly values: readonly unknown[] } {
  const unindexed = (column: string, isUnindexed = true): string =>
    isUnindexed && name === "sqlite" ? `+${column}` : column;
  const given: readonly (readonly [condition: string, value: unknown])[] = [
    [`${unindexed("server", target !== null || message !== null)} =`, server],
    [`${unindexed("target", message !== null)} =`, target],
    ["message =", message],
    ["type =", type],
    [`${unindexed("created_at")} >=`, since],
    [`${unindexed("created_at")} <`, before],
  ];
  const used = given.filter(([, value]) => value !== null);
  const conditions = [...used.map(([condition], at) => `${condition} $${at + 1}`), isVisible];
  if (status !== null) conditions.push(statusConditions[status]);
  return { condition: conditions.join(" and "), values: used.map(([, value]) => value) };
}
