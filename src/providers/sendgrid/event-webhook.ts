/**
 * Requests of SendGrid: its event webhook (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event), Inbound
 * Parse (https://www.twilio.com/docs/sendgrid/for-developers/parsing-email), and the signature of both: ECDSA over P-256 and
 * SHA-256, of the timestamp followed by the body.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackRequest, CallbackSecrets, CallbackSigning, EventDetails, EventWebhooks } from "../callbacks.ts";
import type { InboundMail, InboundShape, MailEvent, MailEventType } from "../callbacks.ts";
import type { NewSecrets, WebhookCredentials } from "../callbacks.ts";
import {
  basicAuthHeaders,
  basicAuthSetting,
  derivedHex,
  givenBasicAuth,
  jsonBody,
  jsonText,
} from "../formats/callback-values.ts";
import { fieldParts, writeMultipart } from "../formats/form-body.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { headerOf } from "../inbound/mail-texts.ts";
import { readerOf, usualBrowser } from "../kit/events.ts";

/** Name of the header field with the signature: base64 of its DER encoding. */
export const signatureField = "X-Twilio-Email-Event-Webhook-Signature";
/** Name of the header field with the timestamp: seconds since the Unix epoch. */
export const timestampField = "X-Twilio-Email-Event-Webhook-Timestamp";

/** Signature of requests, and credentials of Basic authentication. */
const signature: WebhookCredentials = {
  settings: [
    {
      name: "privateKey",
      description: "private key on the curve P-256, PKCS #8 in base64; made here by default",
      isSecret: true,
    },
    basicAuthSetting,
  ],
  verification: `ECDSA (P-256, SHA-256) over the timestamp and the raw body, in \`${signatureField}\` and \`${timestampField}\`.`,
  createSecrets: createSignatureKeys,
  forge: forgeSignature,
};

/** SendGrid's events. */
export const sendGridEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  ...signature,
  render,
};

function render(events: readonly MailEvent[], signing: CallbackSigning): CallbackRequest {
  // SendGrid ends the array with CR LF, so that receivers which serialise the JSON again fail to verify it.
  const body = Buffer.concat([jsonBody(events.map(eventWire)), Buffer.from("\r\n")]);
  const headers = { "User-Agent": "SendGrid Event API", ...signatureHeaders(body, signing) };
  return { headers, contentType: "application/json;charset=utf-8", body };
}

/** Custom arguments are members of the event itself; those with the name of a member are hidden by it. */
function eventWire(event: MailEvent): JsonObject {
  const { mail, recipient } = event;
  const { tags, metadata, template } = mail.facts;
  const [name, membersOf] = kinds[event.type];
  return {
    ...metadata,
    email: recipient,
    timestamp: Math.floor(event.at / 1000),
    "smtp-id": `<${mail.messageId}>`,
    event: name,
    ...(tags.length > 0 && { category: tags }),
    sg_event_id: uuidToBase64url(event.id),
    sg_message_id: messageIdOf(event),
    ...(template !== null && { sg_template_id: template.id }),
    ...membersOf?.(event.details),
  };
}

/** Begins with the `X-Message-Id` of the response to the request, up to the first full stop. */
function messageIdOf({ mail }: MailEvent): string {
  const [requestId = ""] = mail.providerId.split(".");
  return `${requestId}.recvd-${derivedHex(10, mail.id)}-1-${derivedHex(8, mail.id, "part").toUpperCase()}-0.0`;
}

function reading(given: EventDetails): JsonObject {
  const { ip, userAgent } = readerOf(given, usualBrowser);
  return { ip, useragent: userAgent };
}

const ip = "127.0.0.1";

/** Type → name of the event, and its members besides those of all events. */
const kinds: Readonly<
  Record<MailEventType, readonly [name: string, (given: EventDetails) => JsonObject] | readonly [name: string]>
> = {
  processed: ["processed"],
  dropped: ["dropped", ({ reason = "Bounced Address", status = "5.0.0" }) => ({ reason, status })],
  deferred: [
    "deferred",
    ({ reason: response = "451 4.3.0 Try again later" }) => ({ ip, response, attempt: "1", tls: 1 }),
  ],
  delivered: ["delivered", ({ reason: response = "250 2.0.0 OK" }) => ({ ip, response, tls: 1 })],
  bounced: ["bounce", bounce],
  opened: ["open", (given) => ({ ...reading(given), sg_content_type: "html", sg_machine_open: false })],
  clicked: [
    "click",
    (given) => ({ ...reading(given), url: readerOf(given).url, url_offset: { index: 0, type: "html" } }),
  ],
  complained: ["spamreport"],
  unsubscribed: ["unsubscribe"],
};

const bounces = {
  hard: { type: "bounce", status: "5.1.1", reason: "550 5.1.1 The mailbox does not exist" },
  soft: { type: "blocked", status: "5.2.2", reason: "552 5.2.2 The mailbox is full" },
  blocked: { type: "blocked", status: "5.7.1", reason: "550 5.7.1 The message was rejected by policy" },
} as const;

/** A bounce is a hard one; every other permanent failure is a block (`type`). */
function bounce(given: EventDetails): JsonObject {
  const kind = bounces[given.bounce ?? "hard"];
  const status = given.status ?? kind.status;
  const reason = given.reason ?? kind.reason;
  return { ip, reason, status, tls: 1, type: kind.type, bounce_classification: classify(status) };
}

/** Returns the classification of an enhanced status code by its subject. */
function classify(status: string): string {
  const subject = Number(/^[245]\.([0-7])\./.exec(status)?.[1] ?? "0");
  if (subject >= 3 && subject <= 5) return "Technical";
  return { 1: "Invalid Address", 2: "Mailbox Unavailable", 6: "Content", 7: "Reputation" }[subject] ?? "Unclassified";
}

/** Mail as Inbound Parse posts it. */
export const sendGridInbound: InboundShape = {
  name: "sendgrid",
  label: "SendGrid Inbound Parse",
  ...signature,
  settings: [
    {
      name: "raw",
      description: "`true`: the whole mail in the field `email`, as with the option for raw MIME",
      isSecret: false,
      values: ["false", "true"],
    },
    ...signature.settings,
  ],
  render: (mail, { raw = "false" }, signing) => {
    const fields = raw === "true" ? { email: mail.raw } : parsedFields(mail);
    const files = raw === "true" ? [] : filesOf(mail);
    const { contentType, body } = writeMultipart([...fieldParts({ ...fields, ...commonFields(mail) }), ...files]);
    return { headers: { "User-Agent": "Sendlib/1.0", ...signatureHeaders(body, signing) }, contentType, body };
  },
};

type Fields = Parameters<typeof fieldParts>[0];

function commonFields(mail: InboundMail): Fields {
  const { text, html, envelope, verdicts, spam } = mail;
  const cc = headerOf(mail, "cc");
  const charsets = { to: true, from: true, subject: true, cc: cc !== "", text: text !== "", html: html !== "" };
  const present = Object.entries(charsets).flatMap(([name, isPresent]) =>
    isPresent ? [[name, "UTF-8"] as const] : [],
  );
  return {
    to: headerOf(mail, "to"),
    from: headerOf(mail, "from"),
    cc: cc || null,
    subject: mail.subject,
    sender_ip: mail.clientIp,
    envelope: jsonText({ to: [mail.recipient], from: envelope.from }),
    charsets: jsonOf(present),
    SPF: verdicts.spf,
    dkim: dkimOf(mail),
    spam_score: spam.score.toString(),
    spam_report: spam.report,
  };
}

function parsedFields(mail: InboundMail): Fields {
  const files = filesOf(mail);
  const about = files.map(({ name, file: { fileName, contentType: type, contentId } }) => {
    const id = contentId === null ? {} : { "content-id": contentId };
    return [name, { filename: fileName, name: fileName, type, ...id }] as const;
  });
  const ids = files.flatMap(({ name, file: { contentId } }) =>
    contentId === null ? [] : [[contentId, name] as const],
  );
  return {
    headers: mail.rawHeaders.replaceAll(/\r\n?/g, "\n"),
    text: mail.text || null,
    html: mail.html || null,
    attachments: files.length.toString(),
    "attachment-info": jsonOf(about),
    "content-ids": jsonOf(ids),
  };
}

function filesOf({ attachments }: InboundMail) {
  return attachments.map((file, at) => ({ name: `attachment${at + 1}`, value: file.content, file }));
}

/** Returns the JSON of an object; null without members. */
function jsonOf(entries: readonly (readonly [string, unknown])[]): string | null {
  return entries.length === 0 ? null : jsonText(Object.fromEntries(entries));
}

/** Results by domain in a form that is not quite JSON: `{@example.com : pass}`. */
function dkimOf({ verdicts, from }: InboundMail): string {
  if (verdicts.dkim === "none") return "none";
  return `{@${from[0]?.address.split("@").at(-1) ?? ""} : ${verdicts.dkim}}`;
}

/** Makes a key pair, or reads the private key that the user gave; the public key is shown as base64 of its SPKI encoding. */
function createSignatureKeys(given: CallbackSecrets): NewSecrets {
  const { privateKey: text = "" } = given;
  const key = text === "" ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : readGivenKey(text);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return {
    secrets: {
      privateKey: key.export({ type: "pkcs8", format: "der" }).toString("base64"),
      ...givenBasicAuth(given),
    },
    publicKey,
    secret: null,
  };
}

function readGivenKey(text: string): KeyObject {
  const key = keyOf(text.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
  if (key?.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw invalidField("settings.privateKey", "Must be a private key on the curve P-256, PKCS #8 in base64");
  }
  return key;
}

function keyOf(base64: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(base64, "base64"), format: "der", type: "pkcs8" });
  } catch {
    // Not a key; the caller names the field.
    return undefined;
  }
}

/** Returns the header fields that sign a body, and the credentials of Basic authentication. */
function signatureHeaders(
  body: Uint8Array,
  { secrets, now, url }: Pick<CallbackSigning, "secrets" | "now" | "url">,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now / 1000).toString();
  const key = createPrivateKey({
    key: Buffer.from(secrets["privateKey"] ?? "", "base64"),
    format: "der",
    type: "pkcs8",
  });
  const signature = sign("sha256", Buffer.concat([Buffer.from(timestamp), body]), key);
  return {
    ...basicAuthHeaders({ secrets, url }),
    [signatureField]: signature.toString("base64"),
    [timestampField]: timestamp,
  };
}

/** Returns the request with a well-formed signature that is not that of its body. */
function forgeSignature(request: CallbackRequest): CallbackRequest {
  const { privateKey } = createSignatureKeys({}).secrets;
  const now = Number(request.headers[timestampField]) * 1000;
  const secrets = { privateKey: privateKey ?? "" };
  const headers = signatureHeaders(request.body, { secrets, now, url: "http://localhost" });
  return { ...request, headers: { ...request.headers, ...headers } };
}
