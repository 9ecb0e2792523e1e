/** The only file that knows libphonenumber. */
import { createRequire } from "node:module";
import type * as Library from "libphonenumber-js/min";
import type { ServerId } from "./ids.ts";

/** Phone number in E.164, `+447700900123`. */
export type PhoneNumber = string & { readonly __brand: "PhoneNumber" };

/** Sender of an SMS. */
export type SmsSender =
  | { readonly kind: "number"; readonly value: PhoneNumber }
  /** Three to eight digits. */
  | { readonly kind: "shortCode"; readonly value: string }
  /** One to eleven letters, digits and blanks, with at least one letter (3GPP TS 23.040 §9.1.2.5). */
  | { readonly kind: "alphanumeric"; readonly value: string };

const writtenLengthMax = 40;

let library: typeof Library | undefined;

/** Loaded with the first number: it takes 20 MB, and most services receive mail only. */
function loadLibrary(): typeof Library {
  library ??= createRequire(import.meta.url)("libphonenumber-js/min") as typeof Library;
  return library;
}

/**
 * Parses a number in international form, with or without blanks, brackets, dots and hyphens; undefined for anything else:
 * no `+`, an unassigned country code, an extension, surrounding words. Unassigned numbers such as `+15550100` are valid.
 */
export function parsePhoneNumber(text: string): PhoneNumber | undefined {
  const written = text.trim();
  if (written.length > writtenLengthMax || !/^\+[\d\s().-]+$/.test(written)) return undefined;
  const parsed = loadLibrary().parsePhoneNumberFromString(written, { extract: false });
  const isE164 = parsed !== undefined && /^\+[1-9]\d{6,14}$/.test(parsed.number);
  return isE164 ? (parsed.number as PhoneNumber) : undefined;
}

/** Parses the sender of an SMS; undefined when it is malformed. */
export function parseSmsSender(text: string): SmsSender | undefined {
  const written = text.trim();
  const number = parsePhoneNumber(written);
  if (number !== undefined) return { kind: "number", value: number };
  if (/^\d{3,8}$/.test(written)) return { kind: "shortCode", value: written };
  const isName = /^[A-Za-z0-9 &+_-]{1,11}$/.test(written) && /[A-Za-z]/.test(written);
  return isName ? { kind: "alphanumeric", value: written } : undefined;
}

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
