/** Samples of MailerSend's webhooks and inbound routes. */
import { MailerSendUtils } from "mailersend/lib/services/mailersend.utils.js";
import type { CallbackRequest } from "../callbacks.ts";
import type { CallbackSamples, EventSamples, InboundSamples } from "../conformance/callback-samples.test-aid.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  type: "string",
  domain_id: "string",
  created_at: "string",
  webhook_id: "string",
  url: "string",
  data: "object",
  "data.object": "string",
  "data.id": "string",
  "data.type": "string",
  "data.created_at": "string",
  "data.email": "object",
  "data.email.object": "string",
  "data.email.id": "string",
  "data.email.created_at": "string",
  "data.email.from": "string",
  "data.email.subject": "string",
  "data.email.status": "string",
  "data.email.tags": "array|null",
  "data.email.tags[]": "string",
  "data.email.message": "object",
  "data.email.message.object": "string",
  "data.email.message.id": "string",
  "data.email.message.created_at": "string",
  "data.email.recipient": "object",
  "data.email.recipient.object": "string",
  "data.email.recipient.id": "string",
  "data.email.recipient.email": "string",
  "data.email.recipient.created_at": "string",
  "data.template_id": "string",
};
const plain: FieldTypes = { ...common, "data.morph": "null" };
const morph: FieldTypes = {
  ...common,
  "data.morph": "object",
  "data.morph.object": "string",
  "data.morph.id": "string",
  "data.morph.created_at": "string",
};
const withReason: FieldTypes = { ...morph, "data.morph.reason": "string" };
const read: FieldTypes = { ...morph, "data.morph.ip": "string" };

interface Payload {
  readonly type: string;
  readonly data: {
    readonly email: {
      readonly tags: readonly string[] | null;
      readonly message: { readonly id: string };
      readonly recipient: { readonly email: string };
    };
  };
}

function bodyOf({ body }: CallbackRequest): unknown {
  return JSON.parse(Buffer.from(body).toString("utf8"));
}

/** Verification by the SDK. */
const signed: Pick<CallbackSamples, "given" | "verify" | "altered" | "signsBody"> = {
  given: { secret: "wksecret0123456789abcdef" },
  verify: ({ body, headers }, { created }) => {
    const { Signature: signature = "" } = headers;
    // The SDK throws for an absent signature.
    if (signature === "") return false;
    return MailerSendUtils.verifyWebHook(Buffer.from(body), signature, created.secret ?? "");
  },
  altered: (request) => ({
    signature: { ...request, headers: { ...request.headers, Signature: "0".repeat(64) } },
    "no signature": { ...request, headers: {} },
  }),
  signsBody: true,
};

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  ...signed,
  read: (request) => {
    const members = bodyOf(request) as Payload;
    const { tags, message, recipient } = members.data.email;
    return [
      { members, type: members.type, recipient: recipient.email, mailId: message.id, tags: tags ?? [], metadata: {} },
    ];
  },
  fields: {
    processed: plain,
    deferred: withReason,
    delivered: plain,
    bounced: withReason,
    opened: read,
    clicked: { ...read, "data.morph.url": "string" },
    complained: { ...morph, "data.morph.reason": "null" },
    unsubscribed: { ...withReason, "data.morph.readable_reason": "string" },
  },
  showsTags: true,
  showsMetadata: false,
};

interface Inbound {
  readonly data: {
    readonly recipients: { readonly rcptTo: readonly { readonly email: string }[] };
    readonly subject: string;
    readonly text: string;
    readonly html: string;
    readonly attachments: readonly { readonly file_name: string; readonly content: string }[];
  };
}

/** Samples of inbound routes. */
export const inboundSamples: InboundSamples = {
  ...signed,
  variants: [
    {
      title: "parsed",
      options: {},
      read: (request) => {
        const members = bodyOf(request) as Inbound;
        const { recipients, subject, text, html, attachments } = members.data;
        return {
          members,
          subject,
          text,
          html,
          recipient: recipients.rcptTo[0]?.email ?? "",
          attachments: attachments.map(({ file_name: fileName, content }) => {
            return { fileName, content: Buffer.from(content, "base64") };
          }),
        };
      },
      fields: {
        type: "string",
        inbound_id: "string",
        url: "string",
        created_at: "string",
        data: "object",
        "data.object": "string",
        "data.id": "string",
        "data.recipients": "object",
        "data.recipients.rcptTo": "array",
        "data.recipients.rcptTo[]": "object",
        "data.recipients.rcptTo[].email": "string",
        "data.recipients.to": "object",
        "data.recipients.to.raw": "string",
        "data.recipients.to.data": "array",
        "data.recipients.to.data[]": "object",
        "data.recipients.to.data[].email": "string",
        "data.recipients.to.data[].name": "string",
        "data.recipients.cc": "object?",
        "data.recipients.cc.raw": "string",
        "data.recipients.cc.data": "array",
        "data.recipients.cc.data[]": "object",
        "data.recipients.cc.data[].email": "string",
        "data.recipients.cc.data[].name": "string",
        "data.from": "object",
        "data.from.email": "string",
        "data.from.name": "string",
        "data.from.raw": "string",
        "data.sender": "object",
        "data.sender.email": "string",
        "data.subject": "string",
        "data.date": "string",
        "data.headers": "map",
        "data.text": "string",
        "data.html": "string",
        "data.raw": "string",
        "data.attachments": "array",
        "data.attachments[]": "object",
        "data.attachments[].file_name": "string",
        "data.attachments[].content_type": "string",
        "data.attachments[].content_disposition": "string",
        "data.attachments[].content_id": "string?",
        "data.attachments[].size": "integer",
        "data.attachments[].content": "string",
        "data.spf_check": "object",
        "data.spf_check.code": "string",
        "data.spf_check.value": "null",
        "data.dkim_check": "boolean",
        "data.created_at": "string",
      },
    },
  ],
};
