/** Encoding of the attempts of callbacks, and the state of a message that they deliver, which all stores share. */
import { quarantineReason } from "../core/quarantine.ts";
import type { CallbackAttempt, CallbackOutcome, CallbackStatus, StoredDelivery } from "./callback-store.ts";
import type { DeliveryState } from "./outbox-store.ts";

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
