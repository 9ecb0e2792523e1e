/** Quarantined work of all queues, for the operator of the service. */
import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { leasedQueues, quarantineReason, type LeasedQueueName } from "../../core/quarantine.ts";
import type { QuarantinedWork } from "../../store/leased-queue.ts";
import type { Context } from "../context.ts";
import { requireAccount } from "../services/security/access.ts";

/** Quarantined work as the API shows it. */
export interface ShownQuarantine extends Omit<QuarantinedWork, "quarantinedAt"> {
  /** Server of the message; null without a message. */
  readonly server: string | null;
  readonly reason: string;
  /** ISO 8601. */
  readonly quarantined: string;
}

/** Which quarantined work is retried; absent members match all. */
export interface RetryRequest {
  readonly queue?: LeasedQueueName;
  readonly id?: string;
}

/** Returns quarantined work of all queues, at most `quarantineListCountMax`, and how much there is. Rejects with `forbidden`. */
export async function listQuarantined(
  { store }: Context,
  principal: Principal,
): Promise<{ readonly works: readonly ShownQuarantine[]; readonly total: number }> {
  requireAccount(principal);
  const counts = Object.values(await store.quarantine.countQuarantined());
  const works = (await store.quarantine.listQuarantined()).map(show);
  return { works, total: counts.reduce((sum, count) => sum + count, 0) };
}

/** Makes quarantined work due again, at most `quarantineListCountMax` pieces; returns their number. Rejects with `forbidden`. */
export async function retryQuarantined(
  { store, clock, ...context }: Context,
  principal: Principal,
  { queue: wantedQueue, id: wantedId }: RetryRequest,
): Promise<number> {
  requireAccount(principal);
  const wanted = (await store.quarantine.listQuarantined()).filter(
    ({ queue, id }) => (wantedQueue ?? queue) === queue && (wantedId ?? id) === id,
  );
  let count = 0;
  for (const queue of leasedQueues) {
    const ids = wanted.filter((work) => work.queue === queue).map(({ id }) => id);
    if (ids.length > 0) count += await store.quarantine.releaseQuarantined(queue, ids, clock.now());
  }
  context.wakeOutbox();
  context.wakeCallbacks();
  context.wakeScans();
  return count;
}

function show({ quarantinedAt, ...work }: QuarantinedWork): ShownQuarantine {
  const server = work.message === null ? null : decodeMessageId(work.message).server;
  return { ...work, server, reason: quarantineReason, quarantined: new Date(quarantinedAt).toISOString() };
}
