/** Targets, deliveries and attempts of callbacks with generated defaults. */
import { randomUUID } from "node:crypto";
import type { ServerId } from "../../core/ids.ts";
import type {
  CallbackAttempt,
  CallbackOutcome,
  CallbackTarget,
  DeliveryFilter,
  NewDelivery,
  NewTarget,
  StoredDelivery,
} from "../callback-store.ts";
import type { WorkClaim } from "../leased-queue.ts";
import type { Store } from "../store.ts";
import { epochMs } from "./drafts.ts";

/** Returns a new webhook of a server. */
export function aTarget(server: ServerId, fields: Partial<NewTarget> = {}): NewTarget {
  const rest = { kind: "webhook", shape: "", settingsJson: '{"url":"http://x"}', sealedSecrets: null } as const;
  return { id: randomUUID(), server, createdAt: epochMs, ...rest, ...fields };
}

/** Adds a webhook without limits. */
export async function addTarget(store: Store, server: ServerId): Promise<CallbackTarget> {
  return store.callbacks.addTarget(aTarget(server), { countMax: 100, isOnly: false });
}

/** Returns a new delivery that is due at {@link epochMs}; without a target unless given. */
export function aDelivery(server: ServerId, fields: Partial<NewDelivery> = {}): NewDelivery {
  const { target = null } = fields;
  return {
    id: randomUUID(),
    server,
    target,
    queue: target ?? `https://app${server}.example`,
    message: null,
    deliversMessage: false,
    type: "message.received",
    content: Buffer.from('{"a":1}'),
    attemptsMax: null,
    dueAt: epochMs,
    createdAt: epochMs,
    ...fields,
  };
}

/** Returns a claim of ten deliveries of some queues, for a second from {@link epochMs} on. */
export function aClaim(queues: readonly string[], fields: Partial<WorkClaim> = {}): WorkClaim {
  const keys = queues.map((key) => ({ key, limit: 10 }));
  return { now: epochMs, leaseEndsAt: epochMs + 1000, lease: "lease", keys, ...fields };
}

/** Returns a finished attempt. */
export function anAttempt(fields: Partial<CallbackAttempt> = {}): CallbackAttempt {
  const requestHeaders = { "content-type": "application/json" };
  const result = { responseStatus: 200, error: null };
  return { number: 1, startedAt: epochMs, durationMs: 5, url: "http://x", requestHeaders, ...result, ...fields };
}

/** Returns a successful outcome of a delivery that was claimed by {@link aClaim}. */
export function anOutcome(delivery: string, fields: Partial<CallbackOutcome> = {}): CallbackOutcome {
  return { id: delivery, lease: "lease", status: "Delivered", dueAt: null, attempt: anAttempt(), ...fields };
}

/** Filter that matches all deliveries. */
export const anyDelivery: DeliveryFilter = {
  target: null,
  message: null,
  status: null,
  type: null,
  since: null,
  before: null,
};

/** Returns the ids of deliveries. */
export function idsOfDeliveries(deliveries: readonly StoredDelivery[]): readonly string[] {
  return deliveries.map(({ id }) => id);
}

/** Returns the deliveries of a server that match a filter, newest first. */
export async function listDeliveries(
  store: Store,
  server: ServerId,
  filter: Partial<DeliveryFilter> = {},
): Promise<readonly StoredDelivery[]> {
  return store.callbacks.listDeliveries(server, { ...anyDelivery, ...filter }, { offset: 0, limit: 1000 });
}
