/** Samples of Mandrill's webhooks. */
import { createHmac } from "node:crypto";
import type { CallbackSamples, EventSamples, InboundSamples } from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

interface Message {
  readonly raw_msg: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly email: string;
  readonly attachments?: Readonly<Record<string, File>>;
  readonly images?: Readonly<Record<string, File>>;
}

interface File {
  readonly name: string;
  readonly content: string;
}

const signed: CallbackSamples = {
  given: { key: "webhook-key" },
  // As documented: HMAC-SHA1 in base64 over the URL, then each field's name and value, sorted by name.
  verify: ({ headers, body }, { url, created }) => {
    const fields = [...new URLSearchParams(Buffer.from(body).toString("utf8"))].toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const text = url + fields.map(([name, value]) => name + value).join("");
    const expected = createHmac("sha1", created.secret ?? "")
      .update(text, "utf8")
      .digest("base64");
    return headers["x-mandrill-signature"] === expected;
  },
  altered: (request) => ({
    signature: withSignature(request, Buffer.alloc(20).toString("base64")),
    "no signature": withSignature(request, ""),
  }),
  // A changed percent-encoding can stand for the same text.
  signsBody: false,
};

function eventsOf({ body }: CallbackRequest): unknown {
  return JSON.parse(new URLSearchParams(Buffer.from(body).toString("utf8")).get("mandrill_events") ?? "[]");
}

/** Samples of inbound mail. */
export const inboundSamples: InboundSamples = {
  ...signed,
  variants: [
    {
      title: "the default",
      options: {},
      path: "/hook?tenant=7",
      read: (request) => {
        const [members] = eventsOf(request) as readonly [{ readonly msg: Message }];
        const { raw_msg: raw, subject, text, html, email, attachments = {}, images = {} } = members.msg;
        const files = [...Object.values(attachments), ...Object.values(images)];
        return {
          members,
          subject,
          text,
          html,
          recipient: email,
          ...(raw.includes("\uFFFD") ? {} : { raw: Buffer.from(raw, "utf8") }),
          attachments: files.map(({ name, content }) => ({ fileName: name, content: Buffer.from(content, "base64") })),
        };
      },
      fields: {
        event: "string",
        ts: "integer",
        msg: "object",
        "msg.raw_msg": "string",
        "msg.headers": "map",
        "msg.text": "string",
        "msg.text_flowed": "boolean",
        "msg.html": "string",
        "msg.from_email": "string",
        "msg.from_name": "string",
        "msg.to": "array",
        "msg.to[]": "array",
        "msg.to[][]": "string|null",
        "msg.cc": "array?",
        "msg.cc[]": "array",
        "msg.cc[][]": "string|null",
        "msg.email": "string",
        "msg.subject": "string",
        "msg.tags": "array",
        "msg.sender": "null",
        "msg.attachments": "map?",
        "msg.images": "map?",
        "msg.spam_report": "object",
        "msg.spam_report.score": "number",
        "msg.spam_report.matched_rules": "array",
        "msg.spf": "object",
        "msg.spf.result": "string",
        "msg.spf.detail": "string",
        "msg.dkim": "object",
        "msg.dkim.signed": "boolean",
        "msg.dkim.valid": "boolean",
        "msg.template": "null",
      },
    },
  ],
};

function withSignature(request: CallbackRequest, signature: string): CallbackRequest {
  return { ...request, headers: { ...request.headers, "x-mandrill-signature": signature } };
}

const common: FieldTypes = {
  event: "string",
  _id: "string",
  ts: "integer",
  msg: "object",
  "msg.ts": "integer",
  "msg.subject": "string",
  "msg.email": "string",
  "msg.sender": "string",
  "msg.tags": "array",
  "msg.tags[]": "string",
  "msg.opens": "array",
  "msg.clicks": "array",
  "msg.state": "string",
  "msg.metadata": "map",
  "msg.subaccount": "string?",
  "msg.template": "string|null",
  "msg._id": "string",
  "msg._version": "string",
};
const reading: FieldTypes = {
  ...common,
  ip: "string",
  user_agent: "string",
  location: "null",
  user_agent_parsed: "null",
};

interface Event {
  readonly event: string;
  readonly _id: string;
  readonly msg: {
    readonly email: string;
    readonly tags: readonly string[];
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

/** Samples of the events. */
export const eventSamples: EventSamples = {
  ...signed,
  read: (request) =>
    (eventsOf(request) as readonly Event[]).map((members) => {
      const { event, _id, msg } = members;
      return { members, type: event, recipient: msg.email, mailId: _id, tags: msg.tags, metadata: msg.metadata };
    }),
  fields: {
    processed: common,
    dropped: {
      ...common,
      "msg.reject": "object",
      "msg.reject.reason": "string",
      "msg.reject.last_event_at": "null",
      "msg.reject.detail": "string",
    },
    deferred: {
      ...common,
      "msg.smtp_events": "array",
      "msg.smtp_events[]": "object",
      "msg.smtp_events[].ts": "integer",
      "msg.smtp_events[].type": "string",
      "msg.smtp_events[].diag": "string",
      "msg.smtp_events[].source_ip": "string",
      "msg.smtp_events[].destination_ip": "string",
      "msg.smtp_events[].size": "integer",
    },
    delivered: common,
    bounced: { ...common, "msg.bounce_description": "string", "msg.bgtools_code": "integer", "msg.diag": "string" },
    opened: { ...reading, "msg.opens[]": "object", "msg.opens[].ts": "integer" },
    clicked: {
      ...reading,
      url: "string",
      "msg.clicks[]": "object",
      "msg.clicks[].ts": "integer",
      "msg.clicks[].url": "string",
    },
    complained: common,
    unsubscribed: common,
  },
  showsTags: true,
  showsMetadata: true,
};
