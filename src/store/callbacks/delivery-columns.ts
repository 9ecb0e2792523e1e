/** Columns of deliveries: conditions of filters, the encoding of attempts, and the state of a message that they deliver. */
import type { ServerId } from "../../core/ids.ts";
import type {
  CallbackStatus,
  DeliveryFilter,
  CallbackAttempt,
  CallbackOutcome,
  StoredDelivery,
} from "../callback-store.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { quarantineReason } from "../../core/quarantine.ts";
import type { DeliveryState } from "../outbox-store.ts";

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

/** Returns an attempt as JSON without line feeds. */
export function encodeAttempt(attempt: CallbackAttempt): string {
  const { number, startedAt, durationMs, url, requestHeaders, responseStatus, error } = attempt;
  return JSON.stringify({ number, startedAt, durationMs, url, requestHeaders, responseStatus, error });
}

/** Decodes the result of {@link encodeAttempt}. */
export function decodeAttempt(json: string): CallbackAttempt {
  return JSON.parse(json) as CallbackAttempt;
}

/** Returns an encoded attempt without its header fields. */
export function eraseAttemptHeaders(json: string): string {
  return encodeAttempt({ ...decodeAttempt(json), requestHeaders: {} });
}

/** Returns the instant at which a delivery becomes due after an attempt; null when it is final. */
export function dueAfter({ status, dueAt, attempt }: CallbackOutcome): number | null {
  return status === "Pending" ? (dueAt ?? attempt.startedAt + attempt.durationMs) : null;
}

/** Returns the attempts of a delivery with a last one that says why and since when it is quarantined, if it is. */
export function withQuarantine(
  attempts: readonly CallbackAttempt[],
  { attemptCount, quarantinedAt }: { readonly attemptCount: number; readonly quarantinedAt: number | null },
): readonly CallbackAttempt[] {
  if (quarantinedAt === null) return attempts;
  const unanswered = { url: "", requestHeaders: {}, responseStatus: null, error: quarantineReason };
  return [...attempts, { number: attemptCount, startedAt: quarantinedAt, durationMs: 0, ...unanswered }];
}

/** Members of a delivery that determine the state of its message. */
export type MessageDelivery = Pick<StoredDelivery, "status" | "attemptCount" | "attempts" | "createdAt">;

const statuses: Readonly<Record<CallbackStatus, DeliveryState["status"]>> = {
  Pending: "Queued",
  Delivered: "Sent",
  Failed: "Failed",
  Cancelled: "Failed",
  Quarantined: "Failed",
};

/** Combines the deliveries of a message, in the order of storage: the worst status wins; undefined without any. */
export function combineMessageDeliveries(deliveries: readonly MessageDelivery[]): DeliveryState | undefined {
  const states = deliveries.map(({ status, attemptCount, attempts, createdAt }): DeliveryState => {
    const last = attempts.at(-1);
    const lastError = attempts.findLast(({ error }) => error !== null)?.error ?? null;
    return {
      status: statuses[status],
      attempts: attemptCount,
      lastError: status === "Cancelled" ? (lastError ?? "The delivery was cancelled") : lastError,
      updatedAt: last === undefined ? createdAt : last.startedAt + last.durationMs,
    };
  });
  const worst = (["Failed", "Queued", "Sent"] as const).find((status) => states.some((one) => one.status === status));
  if (worst === undefined) return undefined;
  const withError = states.filter(({ lastError }) => lastError !== null);
  return {
    status: worst,
    attempts: Math.max(...states.map(({ attempts }) => attempts)),
    lastError: (withError.findLast(({ status }) => status === worst) ?? withError.at(-1))?.lastError ?? null,
    updatedAt: Math.max(...states.map(({ updatedAt }) => updatedAt)),
  };
}
