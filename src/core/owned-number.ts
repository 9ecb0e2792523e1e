import type { ServerId } from "./ids.ts";

/** Account with a provider; `SmsSupport.credentials` has the provider's names of these members. */
export interface ProviderAccount {
  readonly id: string;
  /** Id of an API key that is used instead of the account; null for the account itself. */
  readonly key: string | null;
  readonly secret: string;
  /** Base URL of the provider's API, without a trailing slash; null for the provider's own. */
  readonly apiUrl: string | null;
}

/** Secrets of a number. */
export interface NumberSecrets {
  /** Secret that signs webhooks in both directions; null: nothing is signed. */
  readonly signing: string | null;
  /** Account that sends replies to phones; null: the provider sends none. */
  readonly account: ProviderAccount | null;
}

/** Phone number of a server. */
export interface OwnedNumber {
  readonly id: string;
  /** E.164. */
  readonly number: string;
  readonly server: ServerId;
  /** Name of a provider in the registry. */
  readonly provider: string;
  /** Its {@link NumberSecrets}, sealed; null where it has none. */
  readonly sealedSecrets: Uint8Array | null;
  /** Inbound webhook of the application under test, which receives replies; null without one. */
  readonly webhook: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
