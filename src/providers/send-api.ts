/** The provider's own API for sending SMS to real phones, from the client's side. */
import type { ProviderAccount } from "../core/phone-number.ts";
import { readJson } from "../core/read-json.ts";
import type { OutboundSms } from "./sms.ts";

/** Request to the provider's API. */
export interface SendRequest {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Response of the provider's API; the body is cut at the size limit. */
export interface SendResponse {
  readonly status: number;
  readonly body: string;
}

/** Failure that the provider reported. */
export interface SendFailure {
  /** Status and error code; nothing else of the response, since the owner of the account chooses the host. */
  readonly text: string;
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
}

/** Client side of a provider's API for sending SMS. */
export interface SendApi {
  readonly request: (account: ProviderAccount, sms: OutboundSms) => SendRequest;
  /** Returns null when the provider has accepted the SMS. */
  readonly readFailure: (response: SendResponse) => SendFailure | null;
}

/** Returns the members of a JSON object; none for anything else. */
export function membersOf(json: string): Readonly<Record<string, unknown>> {
  const reading = readJson(Buffer.from(json, "utf8"));
  // The status of a response that is not JSON decides.
  if (!("value" in reading) || typeof reading.value !== "object" || reading.value === null) return {};
  return reading.value as Record<string, unknown>;
}

/** Returns a string or number of a response as text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
