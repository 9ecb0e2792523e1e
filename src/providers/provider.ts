/**
 * Contract of providers. A provider is one folder with everything about it: the endpoints that its SDKs call,
 * its webhooks, its signatures, its error table and the client of its own API. `registry.ts` lists the folders; nothing
 * outside of them names a provider.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Problem } from "../core/errors.ts";
import type { FormFields } from "./form.ts";
import type { SendApi } from "./send-api.ts";
import type {
  DeliveredSms,
  InboundSms,
  SmsFilter,
  StoredSms,
  Submission,
  SubmittedSms,
  WebhookRequest,
} from "./sms.ts";

/** Provider through which applications send and receive SMS. */
export interface Provider {
  /** `twilio`: name of the folder, of the number's `provider` and of the path of its inbound webhook. */
  readonly name: string;
  /** Name as the provider writes it. */
  readonly label: string;
  /** Origins of the provider's own API, which the service may call for a number with an account. */
  readonly apiOrigins: RegExp;
  /** Endpoints that the provider's SDKs call. */
  readonly endpoints: readonly ProviderEndpoint[];
  /** Returns the provider's error for a problem that an endpoint threw; never called for failures of the service (5xx). */
  readonly errorResponse: (problem: Problem) => ProviderResponse;
  readonly sms: SmsSupport;
}

/** One endpoint of a provider's API. */
export interface ProviderEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Starts with a slash; `:account` and `:id` match one segment. */
  readonly path: string;
  /** One sentence for the route table. */
  readonly summary: string;
  readonly successes: readonly { readonly status: number; readonly description: string }[];
  /** Handles a request; rejects with a `Problem`, which {@link Provider.errorResponse} turns into a response. */
  readonly handle: (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;
}

/** Request to an endpoint or to an inbound webhook. */
export interface ProviderRequest {
  readonly headers: IncomingHttpHeaders;
  /** Path without the query string. */
  readonly path: string;
  /** Path parameter `:id`, decoded; "" without one. */
  readonly id: string;
  /** Complete URL as the sender knows it. */
  readonly url: string;
  /** Fields of the body: of a form, or the strings and numbers of a JSON object. */
  readonly form: FormFields;
  /** Fields of the query string, then of the body. */
  readonly fields: FormFields;
  /** API key of the Authorization field; null without one. */
  readonly key: string | null;
}

/** Response of an endpoint or of an inbound webhook. */
export interface ProviderResponse {
  readonly status: number;
  /** Null without a body. */
  readonly body: { readonly contentType: string; readonly text: string } | null;
}

/** Returns a response with a JSON body. */
export function jsonResponse(status: number, value: unknown): ProviderResponse {
  return { status, body: { contentType: "application/json; charset=utf-8", text: JSON.stringify(value) } };
}

/** Services that endpoints depend on. */
export interface ProviderServices {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /**
   * Opens the account or server of an API key. Rejects with `unauthenticated` for an unknown key and for null, with
   * `forbidden` when the key's scope does not cover the need, with `too_many_requests` after too many wrong keys.
   */
  readonly authenticate: (key: string | null, need: "read" | "send") => Promise<ProviderSession>;
}

/** Messages that an authenticated caller may store and read. */
export interface ProviderSession {
  /** Stores an SMS as received; rejects with a 400 that names the field, and with `limit_reached`. */
  readonly submitSms: (sms: SubmittedSms) => Promise<Submission>;
  /** Rejects with `not_found`, also for messages that are no SMS. */
  readonly getSms: (id: string) => Promise<StoredSms>;
  /** Lists received SMS, newest first. */
  readonly listSms: (
    filter: SmsFilter,
  ) => Promise<{ readonly messages: readonly StoredSms[]; readonly hasMore: boolean }>;
}

/** Support of a provider for phone numbers: inbound webhooks in both directions, and its own API. */
export interface SmsSupport {
  /** Meaning of the credentials of a number, for documentation and the web UI. */
  readonly credentials: SmsCredentials;
  /** Webhook by which the real provider delivers SMS to this service: `/api/sms/<name>`. */
  readonly inbound: InboundWebhook;
  /** Returns the request by which the provider would deliver an SMS to the application's inbound webhook. */
  readonly deliver: (sms: DeliveredSms, webhook: WebhookSigning) => WebhookRequest;
  readonly sendApi: SendApi;
}

/** Names that the provider uses for the credentials of a number; null where it has no such credential. */
export interface SmsCredentials {
  /** Secret that signs webhooks. */
  readonly signing: string;
  readonly accountId: string;
  readonly accountKey: string | null;
  readonly accountSecret: string;
}

/** Inbound webhook of this service in the format of the provider. */
export interface InboundWebhook {
  readonly methods: readonly ("GET" | "POST")[];
  /** Throws `invalid_request` that names a missing field. */
  readonly read: (request: ProviderRequest) => InboundSms;
  /** Returns whether the request is signed with the secret; `now` in milliseconds since the Unix epoch. */
  readonly isSigned: (request: ProviderRequest, secret: string, now: number) => boolean;
  readonly accepted: ProviderResponse & { readonly description: string };
}

/** Webhook of the application under test. */
export interface WebhookSigning {
  readonly url: string;
  /** Null: requests are not signed. */
  readonly secret: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}
