/** Events `message.delivery` about sent messages that the relay or a receiver of SMS has accepted. */
import { withHops } from "../../core/request-hops.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { getDelivery } from "../messages/get-message.ts";
import { deliveryReports, openSubscribers, type ChangeDependencies } from "./change-deliveries.ts";
import { readCallbackMessage } from "./message-facts.ts";
import { skippable } from "./process-changes.ts";

/** Reports of one transaction. */
const reportCountMax = 50;

/** Dependencies of {@link makeReports}. */
export type ReportDependencies = ChangeDependencies & Pick<Context, "wakeCallbacks">;

/** Result of {@link makeReports}. */
export interface ReportOutcome {
  /** Whether there may be more reports. */
  readonly hasMore: boolean;
  /** Failures of single reports, which were dropped. */
  readonly errors: readonly unknown[];
}

/**
 * Queues events `message.delivery` about messages all of whose recipients have it, from the reports that the store recorded
 * with the attempts; permanent failures are in the journal. Several nodes may do so at once: the same event is queued once.
 * Rejects as the store does; the reports then remain.
 */
export async function makeReports(context: ReportDependencies): Promise<ReportOutcome> {
  const { callbacks } = context.store;
  const pending = await callbacks.listPendingReports(reportCountMax);
  const deliveries: NewDelivery[] = [];
  const errors: unknown[] = [];
  for (const message of new Set(pending.map((report) => report.message))) {
    try {
      deliveries.push(...(await reportsOf(context, message)));
    } catch (error) {
      errors.push(skippable(error));
    }
  }
  if (pending.length > 0) await callbacks.finishReports({ reports: pending.map(({ id }) => id), deliveries });
  if (deliveries.length > 0) context.wakeCallbacks();
  return { hasMore: pending.length === reportCountMax, errors };
}

async function reportsOf(context: ChangeDependencies, id: MessageId): Promise<readonly NewDelivery[]> {
  const targets = await context.store.callbacks.listTargets(decodeMessageId(id).server, "webhook");
  const webhooks = openSubscribers(targets).webhooks.filter(({ settings }) =>
    settings.events.includes("message.delivery"),
  );
  if (webhooks.length === 0) return [];
  const delivery = await getDelivery(context, id);
  if (delivery?.status !== "Sent") return [];
  const message = await readCallbackMessage(context, id);
  return withHops(message?.detail.hops ?? 0, async () => deliveryReports(context, webhooks, { id, message, delivery }));
}
