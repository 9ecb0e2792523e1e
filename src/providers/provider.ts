/**
 * Contract of providers. A provider is one folder with everything about it: the endpoints that its SDKs call,
 * its webhooks, its signatures, its error table and the client of its own API. `registry.ts` lists the folders; nothing
 * outside of them names a provider.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Problem } from "../core/errors.ts";
import type { AttachmentId } from "../core/ids.ts";
import type { FaultOutcome } from "../core/fault.ts";
import type { EventWebhooks } from "./callbacks.ts";
import type { EmailSession, EmailSupport } from "./email.ts";
import type { FormFields } from "../core/read-form.ts";
import type { MailboxNotifications, MailboxSubscriptions } from "./mailbox-subscriptions.ts";
import type { ProviderMailbox, ReadableServer } from "./mailbox.ts";
import type { SigningIdentity } from "./formats/signing-identity.ts";
import type {
  DeliveredSms,
  InboundSms,
  SendApi,
  SmsFilter,
  StoredSms,
  Submission,
  SubmittedSms,
  WebhookRequest,
} from "./sms.ts";
import type { ProviderWebhooks } from "./webhooks.ts";
import type { TemplateJob } from "./template-job.ts";

/** Provider through which applications send mail, or send and receive SMS. */
export interface Provider {
  /** `twilio`: name of the folder, of the number's `provider`, and of the paths `/providers/<name>` and `/api/sms/<name>`. */
  readonly name: string;
  /** Name as the provider writes it. */
  readonly label: string;
  /** Origins of the provider's own API; the service may call them for a number with an account, and intercept them. */
  readonly apiOrigins: RegExp;
  /** Host names that SDKs call; `*` stands for a region of AWS, as the first label for any label. None by default. */
  readonly hosts?: readonly string[];
  /**
   * Service in the credential scope of the AWS signatures of its requests, which are then served without the prefix
   * `/providers/<name>` too. None by default.
   */
  readonly signingName?: string;
  /** Environment variables from which the provider's SDKs read the base URL; none by default. */
  readonly endpointVariables?: readonly string[];
  /**
   * Sentences about SDKs that ignore the settings of their runtime, by the name of the language in `restante check`; none by
   * default.
   */
  readonly libraryNotes?: Readonly<Record<string, string>>;
  /** Endpoints that the provider's SDKs call. Modules that are heavy are imported inside `handle`. */
  readonly endpoints: readonly ProviderEndpoint[];
  /**
   * Returns the API key in a request's header fields or query string; null without one. By default the key of the
   * Authorization field, Basic or Bearer.
   */
  readonly readKey?: (headers: IncomingHttpHeaders, query: FormFields) => string | null;
  /**
   * Returns whether anyone may use a key, whose requests store nothing. Their bodies use the memory of clients that are not
   * authenticated. No key by default.
   */
  readonly isPublicKey?: (key: string | null) => boolean;
  /**
   * Returns the provider's error for a problem that an endpoint threw, that the request caused before an endpoint was called
   * (too large, wrong method), or that no endpoint has this path. Of failures of the service (5xx), only the body is used:
   * status and retry fields are those of the service, and {@link failureText} has the text.
   */
  readonly errorResponse: (problem: Problem, request: ErrorContext) => ProviderResponse;
  /** Returns the provider's own response to an error that a fault rule causes. */
  readonly faultResponse: (fault: ProviderFault, request: FaultContext) => ProviderResponse;
  /** Null without support for phone numbers: webhooks in both directions and the provider's own API. */
  readonly sms: SmsSupport | null;
  /** Null for providers that send no mail. */
  readonly email: EmailSupport | null;
  /** Loads the events by which the provider reports on sent mail; absent without any. */
  readonly loadEvents?: () => Promise<EventWebhooks>;
  /** Loads the notifications about changes of mailboxes; absent without any. */
  readonly loadNotifications?: () => Promise<MailboxNotifications>;
}

/** Provider with phone numbers. */
export type SmsProvider = Provider & { readonly sms: SmsSupport };

/** Request that an error responds to, as far as it was read. */
export type ErrorContext = Pick<ProviderRequest, "method" | "path" | "headers">;

/** Request that a fault rule rejects; `now` in milliseconds since the Unix epoch. */
export interface FaultContext extends ErrorContext {
  readonly now: number;
}

/** Error that a fault rule causes: one that every provider has a response for, or an HTTP status. */
export type ProviderFault = NonNullable<FaultOutcome["error"]>;

/** Methods of endpoints. */
export type ProviderMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One endpoint of a provider's API. */
export interface ProviderEndpoint {
  readonly method: ProviderMethod;
  /** Path below `/providers/<name>`; starts with a slash, `:name` matches one segment. */
  readonly path: string;
  /** Whether the path is also served without the prefix `/providers/<name>`; false by default. */
  readonly isAtRoot?: boolean;
  /**
   * Whether the endpoint changes objects before it sends a message, so that fault rules apply to the message instead of the
   * change; false by default.
   */
  readonly isSend?: boolean;
  /** Size of the largest request: 64 kB, or that of a mail (`EmailSupport.requestBytesMax`). `small` by default. */
  readonly body?: "small" | "mail";
  /**
   * `key` needs the API key of the request, which is authenticated before the body is read. `own` authenticates by something
   * in the body, or needs nothing; a body of the size `mail` then uses the memory of clients that are not authenticated or,
   * while the service accepts any key, of callers whose key is not stored. `optional`: `key` if there is one. `key` by default.
   */
  readonly access?: "key" | "own" | "optional";
  /** One sentence for the route table. */
  readonly summary: string;
  readonly successes: readonly { readonly status: number; readonly description: string }[];
  /** Handles a request; rejects with a `Problem`, which {@link Provider.errorResponse} turns into a response. */
  readonly handle: (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;
}

/** Request to an endpoint or to an inbound webhook. */
export interface ProviderRequest {
  readonly method: ProviderMethod;
  readonly headers: IncomingHttpHeaders;
  /** Path without the query string and without `/providers/<name>`. */
  readonly path: string;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Complete URL as the sender knows it. */
  readonly url: string;
  /** Whether the connection is encrypted; false by default. */
  readonly isEncrypted?: boolean;
  /** Bytes of the body, without a content coding. */
  readonly body: Uint8Array;
  /** Fields of a body of at most 64 kB: of a form, or the strings and numbers of a JSON object; else empty. */
  readonly form: FormFields;
  /** Fields of the query string, then {@link form}. */
  readonly fields: FormFields;
  /** API key of the request; null without one. */
  readonly key: string | null;
}

/** Response of an endpoint or of an inbound webhook. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null without a body. */
  readonly body:
    | { readonly contentType: string; readonly text: string }
    | { readonly contentType: string; readonly bytes: Uint8Array; readonly text?: undefined }
    | null;
}

/**
 * Returns the text of a failure: the provider's own, except where the caller can do something about it, because the disk is
 * full or a quota is exceeded (507).
 */
export function failureText({ row, message }: Problem, own: string): string {
  return row.status === 507 ? message : own;
}

/** Returns a response with a JSON body. */
export function jsonResponse(status: number, value: unknown): ProviderResponse {
  return { status, body: { contentType: "application/json; charset=utf-8", text: JSON.stringify(value) } };
}

/** Response without a body. */
export const noContent: ProviderResponse = { status: 204, body: null };

/** Services that endpoints depend on. */
export interface ProviderServices {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /**
   * Opens the account or server of an API key. Rejects with `unauthenticated` for null and, unless the service accepts any
   * key (`RESTANTE_PROVIDER_KEYS`), for an unknown key; with `forbidden` when the key's scope does not cover the need, with
   * `too_many_requests` after too many wrong keys.
   */
  readonly authenticate: (key: string | null, need: "read" | "send") => Promise<ProviderSession>;
  /**
   * Returns the owner of a key that {@link authenticate} accepts, without a call to which fault rules apply; null for any
   * other key. Rejects with `too_many_requests` after too many wrong keys.
   */
  readonly findKeyOwner: (key: string) => Promise<KeyOwner | null>;
  /** Returns the key of the service that signs tokens of the provider, the same on every node. It is replaced every year. */
  readonly signingIdentity: () => Promise<SigningIdentity>;
  /**
   * Renders templates in another process, within 5 seconds and 10 MB. Rejects with `invalid_request`, whose field names the
   * source and whose text is the error of the template language.
   */
  readonly renderTemplates: (job: TemplateJob) => Promise<Readonly<Record<string, string>>>;
  readonly subscriptions: ProviderSubscriptions;
}

/** Owner of an API key. */
export interface KeyOwner extends Pick<EmailSession, "objects"> {
  /** Id of the key, from which the key cannot be computed. */
  readonly keyId: string;
}

/** Targets of callbacks, as their receivers reach them without an API key. Knowing an id or a token suffices. */
export interface ProviderSubscriptions {
  /** Returns the public key of an event webhook or inbound route; null without such a target or key. */
  readonly publicKeyOf: (target: string) => Promise<string | null>;
  /**
   * Confirms the target to which the token was sent, at any time and repeatedly, and makes its events due. Returns its id
   * and options; null for an unknown token.
   */
  readonly confirm: (
    token: string,
  ) => Promise<{ readonly target: string; readonly options: Readonly<Record<string, string>> } | null>;
  /** Disables a target because its receiver unsubscribed; false without such a target. */
  readonly unsubscribe: (target: string) => Promise<boolean>;
}

/** Messages that an authenticated caller may store and read. */
export interface ProviderSession extends EmailSession, KeyOwner {
  /** Stores an SMS as received; rejects with a 400 that names the field, and with `limit_reached`. */
  readonly submitSms: (sms: SubmittedSms) => Promise<Submission>;
  /** Returns whether the last opt-out or opt-in keyword that a number replied to any sender was an opt-out. */
  readonly hasOptedOut: (number: string) => Promise<boolean>;
  /** Rejects with `not_found`, also for messages that are no SMS. */
  readonly getSms: (id: string) => Promise<StoredSms>;
  /** Returns the content of {@link SmsMedia}; rejects with `not_found`. */
  readonly getMedia: (id: AttachmentId) => Promise<Uint8Array>;
  /** Lists received SMS, newest first. */
  readonly listSms: (
    filter: SmsFilter,
  ) => Promise<{ readonly messages: readonly StoredSms[]; readonly hasMore: boolean }>;
  /**
   * Opens the mailbox of a user: the server of a restricted key; else that which receives mail for the address, and without
   * an address the catch-all. Rejects with `not_found` when there is no such server.
   */
  readonly openMailbox: (user: string | null) => Promise<ProviderMailbox>;
  readonly subscriptions: MailboxSubscriptions;
  readonly webhooks: ProviderWebhooks;
  /** Lists the servers whose mail the caller may read. Rejects with `unauthenticated` for a key that is not stored. */
  readonly listServers: () => Promise<readonly ReadableServer[]>;
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
  /** Returns the UUID in the id of an SMS; "" for anything else. */
  readonly uuidOf: (providerId: string) => string;
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
