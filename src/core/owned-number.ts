import type { ServerId } from "./ids.ts";

/** How the owner of a number hears of texts that go to it. */
export interface Webhook {
  readonly url: string;
  readonly provider: "twilio" | "vonage";
  /** What the provider would sign with; kept as given, for it must be used again. */
  readonly secret: string;
}

/** A phone number of a server. */
export interface OwnedNumber {
  readonly id: string;
  /** E.164. */
  readonly number: string;
  readonly server: ServerId;
  /** Where texts that a test sends go: the inbound hook of the application under test; null for nowhere. */
  readonly webhook: Webhook | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
