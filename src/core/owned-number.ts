import type { ServerId } from "./ids.ts";

/** The providers whose signatures and shapes are known. */
export type SmsProvider = "twilio" | "vonage";

/** An account with a provider, as its send interface knows it. */
export interface ProviderAccount {
  /** Twilio: account SID; Vonage: API key. */
  readonly id: string;
  /** Twilio: SID of an API key that stands in for the account; null for the account itself. */
  readonly key: string | null;
  /** Twilio: auth token, or the API key's secret; Vonage: API secret. */
  readonly secret: string;
  /** Base of the provider's interface, without a trailing slash; null for the provider's own. */
  readonly apiUrl: string | null;
}

/** What nobody but the service may read of a number. */
export interface NumberSecrets {
  /** What the provider signs with, both ways; null: nothing is signed. */
  readonly signing: string | null;
  /** By which replies are sent; null: they are not sent by the provider. */
  readonly account: ProviderAccount | null;
}

/** A phone number of a server. */
export interface OwnedNumber {
  readonly id: string;
  /** E.164. */
  readonly number: string;
  readonly server: ServerId;
  readonly provider: SmsProvider;
  /** Its {@link NumberSecrets}, sealed; null where it has none. */
  readonly sealedSecrets: Uint8Array | null;
  /** Where texts that a test sends go: the inbound hook of the application under test; null for nowhere. */
  readonly webhook: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
