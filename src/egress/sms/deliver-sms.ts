import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { WebhookCall } from "./call-webhook.ts";
import { numberFailure, openNumber, type NumberDependencies } from "./open-number.ts";
import type { PhoneSms } from "./send-by-provider.ts";
import { handOverReply, type HandOverDependencies } from "./sms-callbacks.ts";
import { decodeSmsDelivery, type SmsReply } from "./sms-delivery.ts";

/** Dependencies of {@link deliverSms}. */
export interface SmsDependencies extends NumberDependencies {
  readonly store: NumberDependencies["store"] & HandOverDependencies["store"];
  /** Calls a webhook, as `callWebhook` does. */
  readonly call: (call: WebhookCall) => Promise<void>;
  /** Sends an SMS by the API of its provider, as `sendByProvider` does. */
  readonly send: (sms: PhoneSms) => Promise<void>;
  /** Notifies the worker of callbacks of a new delivery. */
  readonly wakeCallbacks: () => void;
}

/**
 * Sends an SMS by the API of its provider; rejects with {@link DeliveryFailure}. Entries of versions without callbacks: hands
 * replies to webhooks over to the deliveries of callbacks, and sends status reports, whose server is not known, itself.
 */
export async function deliverSms(
  dependencies: SmsDependencies,
  entry: Pick<OutboxEntry, "id" | "at" | "content">,
): Promise<void> {
  const content = decodeSmsDelivery(entry.content ?? new Uint8Array());
  if (content.kind === "status") {
    for (const { body, headers } of content.calls) await dependencies.call({ url: content.url, body, headers });
  } else if (content.kind === "provider") await sendToPhone(dependencies, content);
  else {
    await handOverReply(dependencies, entry, content);
    dependencies.wakeCallbacks();
  }
}

async function sendToPhone(dependencies: SmsDependencies, { from, to, text }: SmsReply): Promise<void> {
  const { provider, secrets } = await openNumber(dependencies, from);
  const { account } = secrets;
  if (account === null) throw numberFailure("The number no longer has an account", true);
  await dependencies.send({ provider, account, from, to, text });
}
