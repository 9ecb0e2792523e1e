import type { ProviderAccount, NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import { findSmsProvider } from "../../providers/registry.ts";
import type { OutboundSms } from "../../providers/sms.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";
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

/** Request to a webhook. */
export interface WebhookCall {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts a form to a webhook. Every 2xx is a success; the body of the response is never read. Rejects with
 * {@link DeliveryFailure}: temporary for 5xx, 408, 429 and without a response; permanent for everything else, redirects
 * included.
 */
export async function callWebhook(call: WebhookCall, rules: PostRules): Promise<void> {
  const { status } = await postForm({ ...call, ownOrigins: null, responseBytesMax: 0 }, rules);
  if (status >= 200 && status <= 299) return;
  const isTemporary = status >= 500 || status === 408 || status === 429;
  const evidence = { stage: "connect", replyCode: null, isLocalRefusal: !isTemporary } as const;
  throw new DeliveryFailure(`The webhook responded with status ${String(status)}`, evidence);
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
  throw new DeliveryFailure(failure.text, { stage: "unknown", replyCode: null, isLocalRefusal: !failure.isTemporary });
}

/** Dependencies of {@link openNumber}. */
export interface NumberDependencies {
  readonly store: Pick<Store, "phoneNumbers">;
  /** Returns the secrets of a number; undefined where they cannot be decrypted. */
  readonly openSecrets: (number: OwnedNumber) => NumberSecrets | undefined;
}

/** Number and its provider at the time of the attempt. */
interface OpenedNumber extends Pick<OwnedNumber, "webhook"> {
  readonly provider: SmsProvider;
  readonly secrets: NumberSecrets;
}

/** Returns the number that sends an SMS. Rejects with {@link DeliveryFailure}. */
export async function openNumber({ store, openSecrets }: NumberDependencies, from: string): Promise<OpenedNumber> {
  const number = await store.phoneNumbers.findPhoneNumber(from);
  if (number === undefined) throw numberFailure("The number no longer belongs to a server", true);
  const provider = findSmsProvider(number.provider);
  // A newer version, which the operator may start again, can have stored a provider that this one does not know.
  if (provider === undefined) throw numberFailure(`This version does not know the provider ${number.provider}`, false);
  const secrets = openSecrets(number);
  // The operator can restore the key.
  if (secrets === undefined)
    throw numberFailure("The number's secrets were sealed with another RESTANTE_SECRET_KEY", false);
  return { webhook: number.webhook, provider, secrets };
}

/** Returns the failure of an SMS whose number lacks what it needs. */
export function numberFailure(text: string, isFinal: boolean): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isLocalRefusal: isFinal });
}
