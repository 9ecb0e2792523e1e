/** Delivery of SMS: to phones by the API of a provider, and to applications by the webhook of a number. */
import type { ProviderAccount, NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import { findSmsProvider } from "../../providers/registry.ts";
import type { OutboundSms, WebhookRequest } from "../../providers/sms.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import type { CallbackReceiver, RenderedCallback, SmsContent, StatusContent } from "../callbacks/delivery-content.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";
import { decodeSmsReply } from "./sms-deliveries.ts";

/** Dependencies of {@link deliverSms}. */
export interface SmsDependencies extends NumberDependencies {
  /** Sends an SMS by the API of its provider, as `sendByProvider` does. */
  readonly send: (sms: PhoneSms) => Promise<void>;
}

/** Sends the SMS of an outbox entry by the API of its provider; rejects with {@link DeliveryFailure}. */
export async function deliverSms(
  dependencies: SmsDependencies,
  { content }: Pick<OutboxEntry, "content">,
): Promise<void> {
  const { from, to, text } = decodeSmsReply(content ?? new Uint8Array());
  const { provider, secrets } = await openNumber(dependencies, from);
  const { account } = secrets;
  if (account === null) throw smsFailure("The number no longer has an account", true);
  await dependencies.send({ provider, account, from, to, text });
}

const responseBytesMax = 64 * 1024;

/** SMS to a phone by the API of the number's provider. */
export interface PhoneSms extends OutboundSms {
  readonly provider: SmsProvider;
  readonly account: ProviderAccount;
}

/**
 * Sends an SMS by the API of its provider. Rejects with {@link DeliveryFailure}, whose text holds the status and the
 * provider's error code and nothing else of the response: temporary for 5xx, 401, 403, 408, 429 and without a response;
 * permanent for everything else, redirects included.
 */
export async function sendByProvider({ provider, account, ...sms }: PhoneSms, rules: PostRules): Promise<void> {
  const { sendApi } = provider.sms;
  const request = sendApi.request(account, sms);
  const failure = sendApi.readFailure(
    await postForm({ ...request, ownOrigins: provider.apiOrigins, responseBytesMax }, rules),
  );
  if (failure === null) return;
  throw smsFailure(failure.text, !failure.isTemporary);
}

/** Returns the receiver of an SMS or of a status report. */
export function smsReceiver(dependencies: NumberDependencies, content: SmsContent | StatusContent): CallbackReceiver {
  return {
    batchCountMax: 1,
    render: async (_deliveries, now) =>
      content.kind === "status" ? rendered(content.url, content.call) : renderReply(dependencies, content, now),
  };
}

/** Renders a reply with the settings that its number has now. Rejects with `DeliveryFailure`. */
async function renderReply(
  dependencies: NumberDependencies,
  { reply }: SmsContent,
  now: number,
): Promise<RenderedCallback> {
  const { provider, webhook: url, secrets } = await openNumber(dependencies, reply.from);
  if (url === null) throw smsFailure("The number no longer has a webhook", true);
  return rendered(url, provider.sms.deliver(reply, { url, secret: secrets.signing, now }));
}

function rendered(url: string, { body, headers }: WebhookRequest): RenderedCallback {
  const request = {
    headers: { accept: "application/json", ...headers },
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.from(body, "utf8"),
  };
  return { url, request, deliveryCount: 1, failsOnClientError: true };
}

/** Dependencies of {@link openNumber}. */
export interface NumberDependencies {
  readonly store: Pick<Store, "phoneNumbers">;
  /** Returns the secrets of a number; undefined where they cannot be decrypted. */
  readonly openSecrets: (number: OwnedNumber) => NumberSecrets | undefined;
}

/** Number and its provider at the time of the attempt. */
/** Returns the number that sends an SMS. Rejects with {@link DeliveryFailure}. */
async function openNumber({ store, openSecrets }: NumberDependencies, from: string) {
  const number = await store.phoneNumbers.findPhoneNumber(from);
  if (number === undefined) throw smsFailure("The number no longer belongs to a server", true);
  const provider = findSmsProvider(number.provider);
  // A newer version, which the operator may start again, can have stored a provider that this one does not know.
  if (provider === undefined) throw smsFailure(`This version does not know the provider ${number.provider}`, false);
  const secrets = openSecrets(number);
  // The operator can restore the key.
  if (secrets === undefined)
    throw smsFailure("The number's secrets were sealed with another RESTANTE_SECRET_KEY", false);
  return { webhook: number.webhook, provider, secrets };
}

/** Returns the permanent or temporary failure of an SMS. */
function smsFailure(text: string, isFinal: boolean): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isLocalRefusal: isFinal });
}
