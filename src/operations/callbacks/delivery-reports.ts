/** Events `message.delivery` about sent messages that the relay or a receiver of SMS has accepted. */
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { getDelivery } from "../messages/get-message.ts";
import type { Context } from "../context.ts";
import { deliveryReports, openSubscribers, type ChangeDependencies } from "./change-deliveries.ts";
import { readCallbackMessage } from "./message-facts.ts";

/**
 * Queues events `message.delivery` when all recipients of a sent message have it; permanent failures are in the journal.
 * To be called after each successful attempt, repeatedly: the same event is queued once. Rejects as the store does.
 */
export async function reportDelivered(
  context: ChangeDependencies & Pick<Context, "wakeCallbacks">,
  id: MessageId,
): Promise<void> {
  const targets = await context.store.callbacks.listTargets(decodeMessageId(id).server, "webhook");
  const webhooks = openSubscribers(targets).webhooks.filter(({ settings }) =>
    settings.events.includes("message.delivery"),
  );
  if (webhooks.length === 0) return;
  const delivery = await getDelivery(context, id);
  if (delivery?.status !== "Sent") return;
  const message = await readCallbackMessage(context, id);
  const reports = await deliveryReports(context, webhooks, { id, message, delivery });
  if (reports.length === 0) return;
  await context.store.callbacks.addDeliveries(reports);
  context.wakeCallbacks();
}
