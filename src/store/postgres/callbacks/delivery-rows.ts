/** Rows of deliveries, for reads and writes. */
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { decodeAttempt, withQuarantine } from "../../callback-attempts.ts";
import type { CallbackStatus, DeliveryFilter, StoredDelivery } from "../../callback-store.ts";
import { fromNullableText, fromText, toNullableText } from "../connection/text.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";

/** Row of {@link deliveryColumns}. */
export interface DeliveryRow {
  readonly id: string;
  readonly number: number;
  readonly server_id: number;
  readonly target: string | null;
  readonly queue: string;
  readonly message: MessageId | null;
  readonly delivers_message: boolean;
  readonly type: string;
  readonly attempts_max: number | null;
  readonly first_due_at: number;
  readonly created_at: number;
  readonly status: CallbackStatus;
  readonly due_at: number | null;
  readonly attempt_count: number;
  readonly schedule_step: number;
  readonly attempts: readonly string[];
  readonly content: Buffer | null;
  readonly quarantined_at: number | null;
}

/** Columns of a stored delivery. */
export const deliveryColumns: string = `id, number, server_id, target, queue, message, delivers_message, type, attempts_max,
  first_due_at, created_at, status, due_at, attempt_count, schedule_step, attempts, content, quarantined_at`;

/** Condition of deliveries that exist: those of removed targets wait for their purge. */
export const isVisible: string =
  "(target is null or exists (select 1 from callback_target t where t.id = callback_delivery.target))";

/** Returns the delivery of a row. */
export function toDelivery(row: DeliveryRow): StoredDelivery {
  return {
    id: fromText(row.id),
    number: row.number,
    server: serverIdOf(row.server_id),
    target: fromNullableText(row.target),
    queue: fromText(row.queue),
    message: row.message,
    deliversMessage: row.delivers_message,
    type: fromText(row.type),
    attemptsMax: row.attempts_max,
    dueAt: row.first_due_at,
    createdAt: row.created_at,
    status: row.status,
    nextAttemptAt: row.due_at,
    attemptCount: row.attempt_count,
    scheduleStep: row.schedule_step,
    attempts: withQuarantine(row.attempts.map(decodeAttempt), {
      attemptCount: row.attempt_count,
      quarantinedAt: row.quarantined_at,
    }),
    content: row.content === null ? null : new Uint8Array(row.content),
  };
}

const statusConditions: Readonly<Record<CallbackStatus, string>> = {
  Pending: "status <> 'Delivered' and status = 'Pending'",
  Delivered: "status = 'Delivered'",
  Failed: "status <> 'Delivered' and status = 'Failed'",
  Cancelled: "status <> 'Delivered' and status = 'Cancelled'",
  Quarantined: "status <> 'Delivered' and status = 'Quarantined'",
};

/** Returns the condition of a filter, which also lets the planner use the partial indexes, and its parameters. */
export function filterConditions(
  server: ServerId,
  { target, message, status, type, since, before }: DeliveryFilter,
): { readonly condition: string; readonly parameters: readonly unknown[] } {
  const given: readonly (readonly [condition: string, value: unknown])[] = [
    ["server_id =", serverNumberOf(server)],
    ["target =", toNullableText(target)],
    ["message =", message],
    ["type =", toNullableText(type)],
    ["created_at >=", since],
    ["created_at <", before],
  ];
  const used = given.filter(([, value]) => value !== null);
  const conditions = [...used.map(([condition], at) => `${condition} $${at + 1}`), isVisible];
  if (status !== null) conditions.push(statusConditions[status]);
  return { condition: conditions.join(" and "), parameters: used.map(([, value]) => value) };
}
