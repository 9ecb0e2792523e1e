/** Samples of Mailgun's webhooks and routes. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type {
  EventSamples,
  InboundSamples,
  ReceivedEvent,
  ReceivedMail,
} from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest, MailEventType } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";
import { readParts, textsOf, withJson } from "../conformance/read-form.test-aid.ts";
import type { MailgunSignature } from "./event-webhook.ts";

const common: FieldTypes = {
  signature: "object",
  "signature.timestamp": "string",
  "signature.token": "string",
  "signature.signature": "string",
  ...eventFields({
    "": "object",
    account: "object",
    "account.id": "string",
    domain: "object",
    "domain.name": "string",
    event: "string",
    id: "string",
    timestamp: "number",
    "log-level": "string",
    recipient: "string",
    "recipient-domain": "string",
    tags: "array",
    "tags[]": "string",
    campaigns: "array",
    "user-variables": "map",
    template: "object?",
    "template.name": "string",
    message: "object",
    "message.headers": "object",
    "message.headers.message-id": "string",
  }),
};
const headerFields: FieldTypes = eventFields({
  "message.headers.to": "string",
  "message.headers.from": "string",
  "message.headers.subject": "string",
  "message.attachments": "array",
  "message.size": "integer",
});
const stored: FieldTypes = {
  ...common,
  ...headerFields,
  ...eventFields({
    envelope: "object",
    "envelope.transport": "string",
    "envelope.sender": "string",
    "envelope.targets": "string",
    storage: "object",
    "storage.url": "string",
    "storage.key": "string",
    flags: "object",
    "flags.is-authenticated": "boolean",
    "flags.is-test-mode": "boolean",
  }),
};
const sent: FieldTypes = {
  ...stored,
  ...eventFields({
    "flags.is-routed": "boolean",
    "flags.is-system-test": "boolean",
    "delivery-status": "object",
    "delivery-status.attempt-no": "integer",
    "delivery-status.code": "integer",
    "delivery-status.description": "string",
    "delivery-status.message": "string",
    "delivery-status.session-seconds": "number",
  }),
};
const reached: FieldTypes = {
  ...sent,
  ...eventFields({
    "delivery-status.tls": "boolean",
    "delivery-status.mx-host": "string",
    "delivery-status.utf8": "boolean",
    "delivery-status.certificate-verified": "boolean",
  }),
};
const failed: FieldTypes = eventFields({ severity: "string", reason: "string" });
const enhanced: FieldTypes = eventFields({ "delivery-status.enhanced-code": "string" });
const read: FieldTypes = {
  ...common,
  ...eventFields({
    ip: "string",
    geolocation: "object",
    "geolocation.country": "string",
    "geolocation.region": "string",
    "geolocation.city": "string",
    "client-info": "object",
    "client-info.client-name": "string",
    "client-info.client-os": "string",
    "client-info.client-type": "string",
    "client-info.device-type": "string",
    "client-info.user-agent": "string",
    "client-info.bot": "string",
  }),
};

const fields: Readonly<Record<MailEventType, FieldTypes>> = {
  processed: { ...stored, ...eventFields({ method: "string" }) },
  dropped: { ...sent, ...failed },
  deferred: { ...reached, ...failed, ...enhanced, ...eventFields({ "delivery-status.retry-seconds": "integer" }) },
  delivered: reached,
  bounced: { ...reached, ...failed, ...enhanced, ...eventFields({ "delivery-status.bounce-type": "string" }) },
  opened: read,
  clicked: { ...read, ...eventFields({ url: "string" }) },
  complained: {
    ...common,
    ...headerFields,
    ...eventFields({ flags: "object", "flags.is-test-mode": "boolean" }),
  },
  unsubscribed: read,
};

function eventFields(table: FieldTypes): FieldTypes {
  return Object.fromEntries(
    Object.entries(table).map(([path, types]) => [path === "" ? "event-data" : `event-data.${path}`, types]),
  );
}

const signingKey = "key-3ax6xnjp29jd6fds4gc373sgvjxteol0";

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  given: { signingKey },
  verify: (request, { created }) => isSigned(bodyOf(request).signature, created.secret),
  altered: (request) => {
    const { signature, ...rest } = bodyOf(request);
    const { timestamp, token } = signature;
    const changes = {
      timestamp: { timestamp: `${Number(timestamp) + 1}` },
      token: { token: token.replace(/^./, (digit) => (digit === "a" ? "b" : "a")) },
      signature: { signature: signature.signature.replace(/.$/, (digit) => (digit === "a" ? "b" : "a")) },
    };
    return Object.fromEntries(
      Object.entries(changes).map(([name, change]) => {
        const body = Buffer.from(JSON.stringify({ signature: { ...signature, ...change }, ...rest }));
        return [name, { ...request, body }];
      }),
    );
  },
  signsBody: false,
  read: (request) => [readEvent(bodyOf(request))],
  fields,
  showsTags: true,
  showsMetadata: true,
};

/** Returns whether the signature is that of a signing key, as Mailgun's manual describes it. */
function isSigned({ timestamp, token, signature }: MailgunSignature, key: string | null): boolean {
  const expected = createHmac("sha256", key ?? "")
    .update(`${timestamp}${token}`, "utf8")
    .digest();
  const actual = Buffer.from(signature, "hex");
  return actual.byteLength === expected.byteLength && timingSafeEqual(actual, expected);
}

interface Body {
  readonly signature: MailgunSignature;
  readonly "event-data": {
    readonly event: string;
    readonly recipient: string;
    readonly message: { readonly headers: Readonly<Record<string, string>> };
    readonly tags: readonly string[];
    readonly "user-variables": Readonly<Record<string, unknown>>;
  };
}

function bodyOf({ body }: CallbackRequest): Body {
  return JSON.parse(Buffer.from(body).toString("utf8")) as Body;
}

function readEvent(members: Body): ReceivedEvent {
  const { event, recipient, message, tags, "user-variables": metadata } = members["event-data"];
  return { members, type: event, recipient, mailId: message.headers["message-id"] ?? "", tags, metadata };
}

const routed: FieldTypes = {
  recipient: "string",
  sender: "string",
  from: "string",
  subject: "string",
  timestamp: "string",
  token: "string",
  signature: "string",
};
const parsed: FieldTypes = {
  ...routed,
  "message-headers": "array",
  "message-headers[]": "array",
  "message-headers[][]": "string",
  "body-plain": "string",
  "stripped-text": "string",
  "body-html": "string?",
  "stripped-html": "string?",
  "stripped-signature": "string?",
  "attachment-count": "string?",
  "content-id-map": "map?",
  "attachment-1": "string?",
  "attachment-2": "string?",
  "attachment-3": "string?",
};

/** Samples of routes. */
export const inboundSamples: InboundSamples = {
  given: { signingKey },
  verify: async (request, { created }) => {
    const { timestamp = "", token = "", signature = "" } = textsOf(await readParts(request));
    return isSigned({ timestamp, token, signature }, created.secret);
  },
  altered: (request) => {
    const changed = (name: string): CallbackRequest => {
      const body = Buffer.from(request.body);
      const at = Math.max(body.lastIndexOf(`"${name}"\r\n\r\n`) + 5, body.lastIndexOf(`&${name}=`) + 2) + name.length;
      body[at + 1] = (body[at + 1] ?? 0) === 0x31 ? 0x32 : 0x31;
      return { ...request, body };
    };
    return Object.fromEntries(["timestamp", "token", "signature"].map((name) => [name, changed(name)]));
  },
  signsBody: false,
  variants: [
    { title: "parsed", options: {}, read: readParsed, fields: parsed },
    { title: "whole", options: { mime: "true" }, read: readWhole, fields: { ...routed, "body-mime": "string" } },
    {
      title: "whole, by the URL",
      options: {},
      path: "/inbound/mime?x=1",
      read: readWhole,
      fields: { ...routed, "body-mime": "string" },
    },
  ],
};

async function readParsed(request: CallbackRequest): Promise<ReceivedMail> {
  const parts = await readParts(request);
  const members = withJson(textsOf(parts), ["message-headers", "content-id-map"]);
  const headers = members["message-headers"] as readonly (readonly [string, string])[];
  return {
    members,
    // Names of header fields that are no names of the route.
    extraNames: headers.map(([name]) => name),
    subject: String(members["subject"]),
    text: String(members["body-plain"]),
    html: (members["body-html"] ?? "") as string,
    strippedText: String(members["stripped-text"]),
    recipient: String(members["recipient"]),
    attachments: parts.flatMap(({ fileName, value }) => (fileName === undefined ? [] : [{ fileName, content: value }])),
  };
}

async function readWhole(request: CallbackRequest): Promise<ReceivedMail> {
  const parts = await readParts(request);
  return { members: textsOf(parts), raw: parts.find(({ name }) => name === "body-mime")?.value ?? Buffer.alloc(0) };
}
