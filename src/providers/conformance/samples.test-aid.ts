/** Sample requests that the conformance suite needs of every provider, in `<name>/samples.test-aid.ts`. */
import { readForm, type FormFields } from "../../core/read-form.ts";
import { writeForm } from "../formats/form.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import type { OutboundSms } from "../sms.ts";

/** Requests in the format of one provider, for mail, for SMS, or for both. */
export interface ProviderSamples {
  readonly sms?: SmsSamples;
  readonly email?: EmailSamples;
}

/** Requests that send mail. */
export interface EmailSamples {
  /** Path and method of the endpoint that sends one mail. */
  readonly sendPath: string;
  /** Returns a request to {@link sendPath}; members of the mail that the provider lacks are left out. */
  readonly send: (mail: SampleEmail, options: { readonly key: string }) => ProviderRequest;
  /** Whether a mail has one body, which is HTML where the sample has both; false by default. */
  readonly hasOneBody?: boolean;
  /** Returns the provider ids of the accepted mails, in order. */
  readonly idsOf: (response: ProviderResponse) => readonly string[];
  /** Returns the provider's error code or text; null for a success. */
  readonly errorOf: (response: ProviderResponse) => string | null;
  /** Status from 500 with which the provider rejects requests that are not valid; absent: it uses such statuses for failures only. */
  readonly rejectionStatus?: number;
  /** Requests that the provider rejects, by name, with the error of {@link errorOf}; at least those of `rejectionNames`. */
  readonly rejected: (
    key: string,
  ) => Readonly<Record<string, { readonly request: ProviderRequest; readonly error: string }>>;
  /** Rejections of `rejectionNames` that the provider's API cannot have, with the reason. */
  readonly withoutRejections?: Readonly<Partial<Record<RejectionName, string>>>;
  /** Whether the sender of a mail is an address without a name; false by default. */
  readonly lacksSenderName?: boolean;
  /** Tags that the provider itself gives to every mail; none by default. */
  readonly ownTags?: readonly string[];
  /** Id of a template that is not stored, as the provider writes it; `welcome` by default. */
  readonly templateId?: string;
  /** Requests that store a template; required by the feature `stored templates`. */
  readonly storeTemplate?: TemplateSamples;
  /** Request that sends several mails; required by the feature `batch`. `path` names the endpoint. */
  readonly batch?: (
    mails: readonly SampleEmail[],
    options: { readonly key: string },
  ) => { readonly path: string; readonly request: ProviderRequest };
  /** Request that cancels a scheduled mail; required by the feature `cancel`. */
  readonly cancel?: (
    providerId: string,
    options: { readonly key: string },
  ) => { readonly method: ProviderMethod; readonly path: string; readonly request: ProviderRequest };
  /** Request that reads a mail back; required by the feature `read back`. */
  readonly get?: (
    providerId: string,
    options: { readonly key: string },
  ) => { readonly method: ProviderMethod; readonly path: string; readonly request: ProviderRequest };
}

/** Names of the rejections that every mail provider has. */
export const rejectionNames = [
  "no sender",
  "no recipient",
  "an invalid recipient",
  "no body",
  "invalid JSON or form",
  "invalid base64",
  "too many recipients",
] as const;

/** Name of a rejection that every mail provider has. */
export type RejectionName = (typeof rejectionNames)[number];

/** Requests that store a template, in order. */
export interface TemplateSamples {
  /** Whether a template has no text body; false by default. */
  readonly isHtmlOnly?: boolean;
  /** Each step is passed the responses to the steps before it. */
  readonly steps: readonly ((
    template: SampleTemplate,
    options: { readonly key: string; readonly earlier: readonly ProviderResponse[] },
  ) => ProviderRequest)[];
  /** Returns the id by which {@link EmailSamples.send} refers to the template, from the responses to all steps. */
  readonly idOf: (responses: readonly ProviderResponse[]) => string;
}

/** Sources of a template; plain text in the conformance suite. */
export interface SampleTemplate {
  readonly name: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Mail that every provider can send. */
export interface SampleEmail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly { readonly name: string; readonly address: string }[];
  readonly cc?: readonly { readonly name: string; readonly address: string }[];
  readonly bcc?: readonly { readonly name: string; readonly address: string }[];
  readonly replyTo?: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly {
    readonly fileName: string;
    readonly contentType: string;
    readonly content: Uint8Array;
    /** Embedded in the HTML body when given. */
    readonly contentId?: string;
  }[];
  /** Tags, categories or message types, as far as the provider has them. */
  readonly tags?: readonly string[];
  /** Metadata, custom arguments or variables. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly sendAt?: number;
  /** Template of the provider with its data; the mail has no bodies, and no subject where a template sets it. */
  readonly template?: { readonly id: string; readonly data: Readonly<Record<string, unknown>> };
  /** Whether the provider only checks the mail. */
  readonly sandbox?: boolean;
  readonly idempotencyKey?: string;
}

/** Requests that send SMS. */
export interface SmsSamples {
  /** Path of the endpoint that sends SMS. */
  readonly sendPath: string;
  /** Returns a request to {@link sendPath}. */
  readonly send: (sms: OutboundSms, options: SendOptions) => ProviderRequest;
  /** Documented fields of the endpoint besides those that `send` writes, with a value that nothing else has. */
  readonly furtherFields: Readonly<Record<string, string>>;
  /** Fields among them that the provider rejects here, with the reason in documentation. */
  readonly rejectedFields?: readonly string[];
  /** Whether the API has no callback URL; false by default. */
  readonly lacksCallbacks?: boolean;
  /** Whether the API accepts SMS to numbers that have opted out, without delivering them; false by default. */
  readonly acceptsUnsubscribed?: boolean;
  /** Returns the UUID of the stored message. */
  readonly idOf: (response: ProviderResponse) => string;
  /** Returns the provider's error code; null for a success. */
  readonly errorOf: (response: ProviderResponse) => string | null;
}

/** Options of a request that sends an SMS. */
export interface SendOptions {
  readonly key: string;
  readonly callback: string | null;
  /** Further fields, see {@link SmsSamples.furtherFields}; none by default. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Returns a request with a form body. */
export function formRequest(form: FormFields, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  const body = new TextEncoder().encode(writeForm(form));
  const url = "http://localhost/";
  return {
    method: "POST",
    headers: {},
    path: "/",
    params: {},
    url,
    body,
    form,
    fields: form,
    key: null,
    ...changes,
  };
}

/** Returns a request with a JSON body; `path` and `params` as the router passes them. */
export function jsonRequest(value: unknown, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  const headers = { "content-type": "application/json", ...changes.headers };
  return { ...formRequest([]), body: new TextEncoder().encode(JSON.stringify(value)), ...changes, headers };
}

/** Returns the members of a JSON response. */
export function jsonOf({ body }: ProviderResponse): Readonly<Record<string, unknown>> {
  return JSON.parse(body?.text ?? "{}") as Readonly<Record<string, unknown>>;
}

/** Returns the request that delivers a webhook's body and header fields. */
export function webhookRequest(
  url: string,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
): ProviderRequest {
  return formRequest(readForm(body), { url, headers });
}
