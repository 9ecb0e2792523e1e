/** Samples of SendGrid's event webhook and of Inbound Parse. */
import { createPublicKey, verify } from "node:crypto";
import { EventWebhook } from "@sendgrid/eventwebhook";
import type {
  EventSamples,
  InboundSamples,
  ReceivedEvent,
  ReceivedMail,
} from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest, MailEventType } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";
import { readParts, textsOf, withJson } from "../conformance/read-form.test-aid.ts";
import { signatureField, timestampField } from "./event-webhook.ts";

const common: FieldTypes = {
  email: "string",
  timestamp: "integer",
  "smtp-id": "string",
  event: "string",
  category: "array?",
  "category[]": "string",
  sg_event_id: "string",
  sg_message_id: "string",
  sg_template_id: "string?",
};
const reader: FieldTypes = { ...common, ip: "string", useragent: "string" };

const fields: Readonly<Record<MailEventType, FieldTypes>> = {
  processed: common,
  dropped: { ...common, reason: "string", status: "string" },
  deferred: { ...common, ip: "string", response: "string", attempt: "string", tls: "integer" },
  delivered: { ...common, ip: "string", response: "string", tls: "integer" },
  bounced: {
    ...common,
    ip: "string",
    reason: "string",
    status: "string",
    tls: "integer",
    type: "string",
    bounce_classification: "string",
  },
  opened: { ...reader, sg_content_type: "string", sg_machine_open: "boolean" },
  clicked: {
    ...reader,
    url: "string",
    url_offset: "object",
    "url_offset.index": "integer",
    "url_offset.type": "string",
  },
  complained: common,
  unsubscribed: common,
};
const knownNames = new Set(Object.values(fields).flatMap((table) => Object.keys(table)));

/** Samples of the event webhook. */
export const eventSamples: EventSamples = {
  given: {},
  verify: ({ body, headers }, { created }) => {
    const webhook = new EventWebhook();
    const key = webhook.convertPublicKeyToECDSA(created.publicKey ?? "");
    return webhook.verifySignature(
      key,
      Buffer.from(body),
      headers[signatureField] ?? "",
      headers[timestampField] ?? "",
    );
  },
  altered,
  signsBody: true,
  read: ({ body }) => (JSON.parse(Buffer.from(body).toString("utf8")) as Record<string, unknown>[]).map(readEvent),
  fields,
  showsTags: true,
  showsMetadata: true,
};

function altered(request: CallbackRequest): Readonly<Record<string, CallbackRequest>> {
  const { headers } = request;
  const signature = Buffer.from(headers[signatureField] ?? "", "base64");
  const flipped = Buffer.from(signature.map((byte, at) => (at === 10 ? byte ^ 1 : byte)));
  const timestamp = `${Number(headers[timestampField]) + 1}`;
  return {
    signature: { ...request, headers: { ...headers, [signatureField]: flipped.toString("base64") } },
    timestamp: { ...request, headers: { ...headers, [timestampField]: timestamp } },
  };
}

function readEvent(members: Readonly<Record<string, unknown>>): ReceivedEvent {
  const extraNames = Object.keys(members).filter((name) => !knownNames.has(name));
  return {
    members,
    extraNames,
    type: String(members["event"]),
    recipient: String(members["email"]),
    mailId: String(members["sg_message_id"]),
    tags: (members["category"] ?? []) as string[],
    metadata: Object.fromEntries(extraNames.map((name) => [name, members[name]])),
  };
}

const parsing: FieldTypes = {
  to: "string",
  from: "string",
  cc: "string?",
  subject: "string",
  sender_ip: "string",
  envelope: "object",
  "envelope.to": "array",
  "envelope.to[]": "string",
  "envelope.from": "string",
  charsets: "object",
  "charsets.to": "string",
  "charsets.from": "string",
  "charsets.subject": "string",
  "charsets.cc": "string?",
  "charsets.text": "string?",
  "charsets.html": "string?",
  SPF: "string",
  dkim: "string",
  spam_score: "string",
  spam_report: "string",
};
const parsed: FieldTypes = {
  ...parsing,
  headers: "string",
  text: "string?",
  html: "string?",
  attachments: "string",
  "content-ids": "map?",
  "attachment-info": "object?",
};
const jsonNames = ["envelope", "charsets", "attachment-info", "content-ids"];

/** Samples of Inbound Parse. */
export const inboundSamples: InboundSamples = {
  given: {},
  // The library of SendGrid reads the body as UTF-8, which the bytes of attachments are not.
  verify: ({ body, headers }, { created }) => {
    const key = createPublicKey({ key: Buffer.from(created.publicKey ?? "", "base64"), format: "der", type: "spki" });
    const signed = Buffer.concat([Buffer.from(headers[timestampField] ?? ""), body]);
    return verify("sha256", signed, key, Buffer.from(headers[signatureField] ?? "", "base64"));
  },
  altered,
  signsBody: true,
  variants: [
    { title: "parsed", options: {}, read: readParsed, fields: { ...parsed, ...attachmentFields(3) } },
    { title: "raw", options: { raw: "true" }, read: readRaw, fields: { ...parsing, email: "string" } },
  ],
};

function attachmentFields(count: number): FieldTypes {
  const names = Array.from({ length: count }, (_none, at) => `attachment${at + 1}`);
  return Object.fromEntries(
    names.flatMap((name) => [
      [name, "string?"],
      [`attachment-info.${name}`, "object?"],
      ...["filename", "name", "type"].map((member) => [`attachment-info.${name}.${member}`, "string"]),
      [`attachment-info.${name}.content-id`, "string?"],
    ]),
  ) as FieldTypes;
}

async function readParsed(request: CallbackRequest): Promise<ReceivedMail> {
  const parts = await readParts(request);
  const members = withJson(textsOf(parts), jsonNames);
  const envelope = members["envelope"] as { readonly to: readonly string[] };
  return {
    members,
    subject: String(members["subject"]),
    text: (members["text"] ?? "") as string,
    html: (members["html"] ?? "") as string,
    recipient: envelope.to[0] ?? "",
    attachments: parts.flatMap(({ fileName, value }) => (fileName === undefined ? [] : [{ fileName, content: value }])),
  };
}

async function readRaw(request: CallbackRequest): Promise<ReceivedMail> {
  const parts = await readParts(request);
  const members = withJson(textsOf(parts), jsonNames);
  return { members, raw: parts.find(({ name }) => name === "email")?.value ?? Buffer.alloc(0) };
}
