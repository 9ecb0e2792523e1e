/** Samples of SparkPost's webhooks. */
import type { CallbackRequest } from "../callbacks.ts";
import type { CallbackSamples, EventSamples, InboundSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const tokenField = "x-messagesystems-webhook-token";

const credentials: CallbackSamples = {
  given: { token: "webhook-token", basicAuth: "user:password" },
  verify: ({ headers }, { created }) =>
    headers[tokenField] === created.secret && headers["authorization"] === `Basic ${btoa("user:password")}`,
  altered: (request) => ({
    token: withHeaders(request, { [tokenField]: "other" }),
    password: withHeaders(request, { authorization: `Basic ${btoa("user:other")}` }),
    "no credentials": { ...request, headers: {} },
  }),
  signsBody: false,
};

function withHeaders(request: CallbackRequest, headers: CallbackRequest["headers"]): CallbackRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

interface Event {
  readonly type: string;
  readonly rcpt_to: string;
  readonly raw_rcpt_to: string;
  readonly transmission_id: string;
  readonly rcpt_tags: readonly string[];
  readonly rcpt_meta: Readonly<Record<string, unknown>>;
}

type Batch = readonly { readonly msys: Readonly<Record<string, unknown>> }[];

function batchOf({ body }: CallbackRequest): Batch {
  return JSON.parse(Buffer.from(body).toString("utf8")) as Batch;
}

const common: FieldTypes = {
  type: "string",
  event_id: "string",
  timestamp: "string",
  transmission_id: "string",
  message_id: "string",
  injection_time: "string",
  campaign_id: "string?",
  template_id: "string?",
  template_version: "string?",
  friendly_from: "string",
  msg_from: "string",
  msg_size: "string",
  subject: "string",
  rcpt_to: "string",
  raw_rcpt_to: "string",
  rcpt_tags: "array",
  "rcpt_tags[]": "string",
  rcpt_meta: "map",
  customer_id: "string",
  recipient_domain: "string",
  routing_domain: "string",
};
const failure: FieldTypes = {
  ...common,
  bounce_class: "string",
  error_code: "string",
  raw_reason: "string",
  reason: "string",
};
const reading: FieldTypes = { ...common, ip_address: "string", user_agent: "string" };

/** Samples of the events. */
export const eventSamples: EventSamples = {
  ...credentials,
  read: (request) =>
    batchOf(request).map(({ msys }) => {
      const [members] = Object.values(msys) as readonly Event[] as [Event];
      const { type, raw_rcpt_to: recipient, transmission_id: mailId, rcpt_tags: tags, rcpt_meta: metadata } = members;
      return { members, type, recipient, mailId, tags, metadata };
    }),
  fields: {
    processed: common,
    dropped: failure,
    deferred: { ...failure, num_retries: "string" },
    delivered: { ...common, num_retries: "string", queue_time: "string", ip_address: "string" },
    bounced: { ...failure, num_retries: "string" },
    opened: reading,
    clicked: { ...reading, target_link_url: "string", target_link_name: "string" },
    complained: { ...common, fbtype: "string", report_by: "string", report_to: "string", user_str: "string" },
    unsubscribed: { ...common, mailfrom: "string" },
  },
  showsTags: true,
  showsMetadata: true,
};

interface Relay {
  readonly content: {
    readonly email_rfc822: string;
    readonly email_rfc822_is_base64: boolean;
    readonly subject: string;
    readonly text: string;
    readonly html: string;
  };
  readonly rcpt_to: string;
}

/** Samples of inbound mail. */
export const inboundSamples: InboundSamples = {
  ...credentials,
  variants: [
    {
      title: "the default",
      options: {},
      read: (request) => {
        const [first] = batchOf(request);
        const members = first?.msys["relay_message"] as Relay;
        const { email_rfc822: raw, email_rfc822_is_base64: isBase64, subject, text, html } = members.content;
        const encoding = isBase64 ? "base64" : "utf8";
        return { members, subject, text, html, recipient: members.rcpt_to, raw: Buffer.from(raw, encoding) };
      },
      fields: {
        content: "object",
        "content.email_rfc822": "string",
        "content.email_rfc822_is_base64": "boolean",
        "content.headers": "array",
        "content.headers[]": "map",
        "content.html": "string",
        "content.subject": "string",
        "content.text": "string",
        "content.to": "array",
        "content.to[]": "string",
        "content.cc": "array?",
        "content.cc[]": "string",
        customer_id: "string",
        friendly_from: "string",
        msg_from: "string",
        rcpt_to: "string",
        protocol: "string",
        webhook_id: "string",
      },
    },
  ],
};
