/** Rows of deliveries, for reads and writes. */
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { decodeAttempt, withQuarantine } from "../../callback-attempts.ts";
import type { CallbackAttempt, CallbackStatus, DeliveryFilter, StoredDelivery } from "../../callback-store.ts";

/** Row of {@link deliveryColumns}. */
export interface DeliveryRow extends Omit<StoredDelivery, "deliversMessage" | "attempts" | "content"> {
  readonly deliversMessage: number;
  readonly attempts: string;
  readonly content: Uint8Array | null;
  readonly quarantinedAt: number | null;
}

/** Columns of a stored delivery. */
export const deliveryColumns: string = `number, id, server, target, queue, message, delivers_message as deliversMessage,
  type, attempts_max as attemptsMax, first_due_at as dueAt, created_at as createdAt, status, due_at as nextAttemptAt,
  attempt_count as attemptCount, schedule_step as scheduleStep, attempts, content, quarantined_at as quarantinedAt`;

/** Condition of deliveries that exist: those of removed targets wait for their purge. */
export const isVisible: string =
  "(target is null or exists (select 1 from callback_target t where t.id = callback_delivery.target))";

/** Returns the delivery of a row. */
export function toDelivery({ deliversMessage, attempts, quarantinedAt, ...row }: DeliveryRow): StoredDelivery {
  const shown = withQuarantine(readAttempts(attempts), { ...row, quarantinedAt });
  return { ...row, deliversMessage: deliversMessage === 1, attempts: shown };
}

/** Returns the attempts of a row. */
export function readAttempts(lines: string): readonly CallbackAttempt[] {
  return splitAttempts(lines).map(decodeAttempt);
}

/** Returns the encoded attempts of a row. */
export function splitAttempts(lines: string): readonly string[] {
  return lines === "" ? [] : lines.split("\n");
}

/** Values of the named parameters of {@link filterConditions}. */
export type FilterValues = Readonly<Record<string, string | number>>;

const statusConditions: Readonly<Record<CallbackStatus, string>> = {
  Pending: "status <> 'Delivered' and status = 'Pending'",
  Delivered: "status = 'Delivered'",
  Failed: "status <> 'Delivered' and status = 'Failed'",
  Cancelled: "status <> 'Delivered' and status = 'Cancelled'",
  Quarantined: "status <> 'Delivered' and status = 'Quarantined'",
};

/**
 * Returns the condition of a filter and its values. A `+` keeps SQLite from using an index on a column that selects less
 * than another one.
 */
export function filterConditions(
  server: ServerId,
  { target, message, status, type, since, before }: DeliveryFilter,
): { readonly condition: string; readonly values: FilterValues } {
  const isNarrow = target !== null || message !== null;
  const given: readonly (readonly [condition: string, name: string, value: string | number | MessageId | null])[] = [
    [`${isNarrow ? "+" : ""}server = :server`, "server", server],
    [`${message === null ? "" : "+"}target = :target`, "target", target],
    ["message = :message", "message", message],
    ["type = :type", "type", type],
    ["+created_at >= :since", "since", since],
    ["+created_at < :before", "before", before],
  ];
  const used = given.flatMap(([condition, name, value]) => (value === null ? [] : [{ condition, name, value }]));
  const conditions = [...used.map(({ condition }) => condition), isVisible];
  if (status !== null) conditions.push(statusConditions[status]);
  return {
    condition: conditions.join(" and "),
    values: Object.fromEntries(used.map(({ name, value }) => [name, value])),
  };
}
