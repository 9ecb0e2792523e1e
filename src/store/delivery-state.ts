import type { MessageId } from "../core/ids.ts";
import type { CallbackStore } from "./callback-store.ts";
import type { DeliveryState, OutboxStore } from "./outbox-store.ts";

/** Parts of a store that know deliveries of messages. */
export interface DeliverySource {
  readonly outbox: Pick<OutboxStore, "getDelivery">;
  readonly callbacks: Pick<CallbackStore, "getMessageDelivery">;
}

/** Returns the delivery state of a message, by callbacks or by the outbox; undefined when it has neither. */
export async function readDeliveryState(source: DeliverySource, id: MessageId): Promise<DeliveryState | undefined> {
  return (await source.callbacks.getMessageDelivery(id)) ?? (await source.outbox.getDelivery(id));
}
