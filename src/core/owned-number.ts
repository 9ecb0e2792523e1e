import type { ServerId } from "./ids.ts";

/** The providers whose signatures and shapes are known. */
export type SmsProvider = "twilio" | "vonage";

/** A phone number of a server. */
export interface OwnedNumber {
  readonly id: string;
  /** E.164. */
  readonly number: string;
  readonly server: ServerId;
  readonly provider: SmsProvider;
  /** What the provider signs with, both ways; kept as given, for it must be used again. Null: nothing is signed. */
  readonly secret: string | null;
  /** Where texts that a test sends go: the inbound hook of the application under test; null for nowhere. */
  readonly webhook: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
