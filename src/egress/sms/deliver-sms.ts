import type { ProviderAccount, NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import { findSmsProvider } from "../../providers/registry.ts";
import type { OutboundSms } from "../../providers/sms.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { postForm, type PostRules } from "./post-form.ts";
import { decodeSmsReply } from "./sms-delivery.ts";

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
  if (account === null) throw numberFailure("The number no longer has an account", true);
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
