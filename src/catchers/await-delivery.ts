import type { Delivery } from "../core/delivery.ts";
import type { MessageId } from "../core/ids.ts";
import { getDelivery } from "../operations/services/reading/get-message.ts";
import type { CatcherCall } from "./catcher.ts";

/** Longest wait for the outcome of a delivery, in milliseconds; the outbox goes on afterwards. */
const waitMsMax = 10_000;
/** Pause between two looks at the outcome, in milliseconds. */
const pauseMs = 50;

/**
 * Resolves with the state of a sent message once it has left or failed, or after ten seconds; undefined when it had only
 * recipients of this service. Rejects when the client disconnects.
 */
export async function awaitDelivery(
  { context, signal }: Pick<CatcherCall, "context" | "signal">,
  id: MessageId,
): Promise<Delivery | undefined> {
  const gone = signal();
  const { clock } = context;
  const endsAt = clock.monotonicMs() + waitMsMax;
  for (;;) {
    const delivery = await getDelivery(context.store, id);
    if (delivery?.status !== "Queued" || clock.monotonicMs() >= endsAt) return delivery;
    gone.throwIfAborted();
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}
