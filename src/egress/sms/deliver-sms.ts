import type { Clock } from "../../core/clock.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/owned-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import { findSmsProvider } from "../../providers/registry.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import type { WebhookCall } from "./call-webhook.ts";
import type { PhoneSms } from "./send-by-provider.ts";
import { decodeSmsDelivery, type SmsReply } from "./sms-delivery.ts";

/** Dependencies of {@link deliverSms}. */
export interface SmsDependencies {
  readonly store: Pick<Store, "phoneNumbers">;
  readonly clock: Pick<Clock, "now">;
  /** Returns the secrets of a number; undefined where they cannot be decrypted. */
  readonly openSecrets: (number: OwnedNumber) => NumberSecrets | undefined;
  /** Calls a webhook, as `callWebhook` does. */
  readonly call: (call: WebhookCall) => Promise<void>;
  /** Sends an SMS by the API of its provider, as `sendByProvider` does. */
  readonly send: (sms: PhoneSms) => Promise<void>;
}

/** Number and its provider at the time of the attempt. */
interface OpenedNumber extends Pick<OwnedNumber, "webhook"> {
  readonly provider: SmsProvider;
  readonly secrets: NumberSecrets;
}

/** Delivers the content of an entry, request by request; rejects with {@link DeliveryFailure} at the first that fails. */
export async function deliverSms(dependencies: SmsDependencies, bytes: Uint8Array): Promise<void> {
  const content = decodeSmsDelivery(bytes);
  if (content.kind === "status") {
    for (const { body, headers } of content.calls) await dependencies.call({ url: content.url, body, headers });
    return;
  }
  const number = await openNumber(dependencies, content);
  if (content.kind === "provider") await sendToPhone(dependencies, number, content);
  else await callApplication(dependencies, number, content);
}

async function sendToPhone(
  { send }: SmsDependencies,
  { provider, secrets }: OpenedNumber,
  { from, to, text }: SmsReply,
): Promise<void> {
  const { account } = secrets;
  if (account === null) throw failure("The number no longer has an account", true);
  await send({ provider, account, from, to, text });
}

async function callApplication(
  { call, clock }: SmsDependencies,
  { provider, webhook: url, secrets }: OpenedNumber,
  sms: SmsReply,
): Promise<void> {
  if (url === null) throw failure("The number no longer has a webhook", true);
  const { body, headers } = provider.sms.deliver(sms, { url, secret: secrets.signing, now: clock.now() });
  await call({ url, body, headers });
}

async function openNumber({ store, openSecrets }: SmsDependencies, { from }: SmsReply): Promise<OpenedNumber> {
  const number = await store.phoneNumbers.findPhoneNumber(from);
  if (number === undefined) throw failure("The number no longer belongs to a server", true);
  const provider = findSmsProvider(number.provider);
  // A newer version, which the operator may start again, can have stored a provider that this one does not know.
  if (provider === undefined) throw failure(`This version does not know the provider ${number.provider}`, false);
  const secrets = openSecrets(number);
  // The operator can restore the key.
  if (secrets === undefined) throw failure("The number's secrets were sealed with another RESTANTE_SECRET_KEY", false);
  return { webhook: number.webhook, provider, secrets };
}

function failure(text: string, isFinal: boolean): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "unknown", replyCode: null, isLocalRefusal: isFinal });
}
