import type { NumberSecrets, OwnedNumber } from "../../core/owned-number.ts";
import type { SmsProvider } from "../../providers/provider.ts";
import { findSmsProvider } from "../../providers/registry.ts";
import type { Store } from "../../store/store.ts";
import { DeliveryFailure } from "../delivery-failure.ts";

/** Dependencies of {@link openNumber}. */
export interface NumberDependencies {
  readonly store: Pick<Store, "phoneNumbers">;
  /** Returns the secrets of a number; undefined where they cannot be decrypted. */
  readonly openSecrets: (number: OwnedNumber) => NumberSecrets | undefined;
}

/** Number and its provider at the time of the attempt. */
export interface OpenedNumber extends Pick<OwnedNumber, "webhook"> {
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
