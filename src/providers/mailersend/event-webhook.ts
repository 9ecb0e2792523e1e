/**
 * Requests of MailerSend: events of mail (https://developers.mailersend.com/api/v1/webhooks) and SMS
 * (https://developers.mailersend.com/api/v1/sms-webhooks), and mail that inbound routes forward
 * (https://developers.mailersend.com/api/v1/inbound), signed alike.
 */
import type { CallbackRequest, CallbackSigning, EventDetails, EventWebhooks, MailEvent } from "../callbacks.ts";
import type { InboundAddress, InboundMail, InboundShape, MailEventType, SmsEvent, SmsEvents } from "../callbacks.ts";
import { derivedHex, jsonText } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import { addressText, fieldsByName } from "../inbound/mail-texts.ts";
import { bodySignature, oneByOne, readerOf } from "../kit/events.ts";
import type { ReceiverTest } from "../kit/webhooks.ts";
import { invalid } from "./errors.ts";
import { instantText } from "./response.ts";
import { idOfNumber, idOfRecipient, smsJson } from "./sms.ts";

/** Signature of webhooks and inbound routes. */
const signature = bodySignature("Signature");

/** Returns a signed request with a JSON body, written as PHP writes JSON: in ASCII, with escaped slashes. */
function signedRequest(value: JsonObject, signing: Pick<CallbackSigning, "url" | "secrets">): CallbackRequest {
  const text = jsonText(value)
    .replaceAll("/", "\\/")
    .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return signature.sign(Buffer.from(text, "latin1"), signing);
}

const testSecret = "test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G";

/** Test of a receiver, which is signed with a secret that all webhooks share; any status 2xx accepts it. */
export const receiverTest: ReceiverTest = {
  requestOf: ({ url }, { services }) => {
    const createdAt = instantText(services.now());
    const value = { type: "webhook.test", message: "This is a ping test message", created_at: createdAt };
    return signedRequest(value, { url, secrets: { secret: testSecret } });
  },
  errorOf: (answer) => {
    if ("status" in answer && answer.status >= 200 && answer.status < 300) return null;
    const reason = "status" in answer ? `a status of ${String(answer.status)}` : answer.refusal;
    return invalid(["url", `The url did not accept a test request: ${reason}.`]);
  },
};

/** Returns the id of the webhook with a UUID. */
export function idOfWebhook(uuid: string): string {
  return derivedHex(16, uuid);
}

/** Type of an event, status of the mail after it, and further facts. */
type Kind = readonly [type: string, status: string, morph?: (details: EventDetails) => JsonObject];

const bounced: Kind = [
  "hard_bounced",
  "rejected",
  ({ reason = "Host or domain name not found" }) => ({ object: "recipient_bounce", reason }),
];

const kinds: Partial<Readonly<Record<MailEventType, Kind>>> = {
  processed: ["sent", "sent"],
  delivered: ["delivered", "delivered"],
  deferred: ["deferred", "sent", ({ reason = "Temporarily deferred" }) => ({ object: "recipient_deferred", reason })],
  bounced,
  opened: ["opened", "delivered", (details) => ({ object: "open", ip: readerOf(details).ip })],
  clicked: [
    "clicked",
    "delivered",
    (details) => ({ object: "click", ip: readerOf(details).ip, url: readerOf(details).url }),
  ],
  complained: ["spam_complaint", "delivered", () => ({ object: "spam_complaint", reason: null })],
  unsubscribed: [
    "unsubscribed",
    "delivered",
    ({ reason: readable_reason = "I get too many emails" }) => {
      return { object: "recipient_unsubscribe", reason: "option_3", readable_reason };
    },
  ],
};

/** Names by which webhooks select events about SMS; the last one never happens here. */
export const smsEventNames: readonly string[] = ["sms.sent", "sms.delivered", "sms.failed"];

/** Events about SMS, which only webhooks for SMS receive. */
const smsEvents: SmsEvents = {
  types: ["sent", "delivered"],
  isReported: () => false,
  nameOf: ({ type }) => `sms.${type}`,
  render: (event, signing) =>
    signedRequest(
      {
        type: `sms.${event.type}`,
        sms_number_id: idOfNumber(event.sms.from),
        created_at: instantText(event.at),
        sms_webhook_id: idOfWebhook(signing.target),
        url: signing.url,
        data: dataOf(event),
      },
      signing,
    ),
};

function dataOf({ type: status, at, sms }: SmsEvent): JsonObject {
  const { from, to, text } = sms;
  const id = digitsOfUuid(sms.id);
  const created = instantText(at);
  const recipient = { id: idOfRecipient(to), number: to, status: "active", created_at: created };
  const own = { ...smsJson({ id, from, to, text, status }), created_at: created, recipient };
  return { from, to, created_at: created, status, sms_message_id: id, sms: own };
}

/** Events of MailerSend. */
export const mailerSendEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["processed", "delivered"],
  ...signature.credentials,
  nameOf: (event) => `activity.${nameOf(event)}`,
  ...oneByOne((event, signing) => signedRequest(eventWire(event, signing), signing)),
  sms: smsEvents,
};

const softBounced = "soft_bounced";

/** Names of all events by which webhooks select them. */
export const eventNames: readonly string[] = [
  ...Object.values(kinds).map(([name]) => `activity.${name}`),
  `activity.${softBounced}`,
];

function nameOf({ type, details }: Pick<MailEvent, "type" | "details">): string {
  return type === "bounced" && details.bounce === "soft" ? softBounced : (kinds[type] ?? bounced)[0];
}

function eventWire(event: MailEvent, { target, url }: CallbackSigning): JsonObject {
  const { id, type, at, mail, recipient, details } = event;
  const [, status, morphOf] = kinds[type] ?? bounced;
  const name = nameOf(event);
  const [created, sent] = [instantText(at), instantText(mail.sentAt)];
  return {
    type: `activity.${name}`,
    domain_id: derivedHex(16, mail.server),
    created_at: created,
    webhook_id: idOfWebhook(target),
    url,
    data: {
      object: "activity",
      id: derivedHex(24, id),
      type: name,
      created_at: created,
      email: {
        object: "email",
        id: mail.providerId,
        created_at: sent,
        from: mail.from,
        subject: mail.subject,
        status,
        tags: mail.facts.tags.length === 0 ? null : mail.facts.tags,
        message: { object: "message", id: mail.providerId, created_at: sent },
        recipient: { object: "recipient", id: derivedHex(24, recipient), email: recipient, created_at: sent },
      },
      morph: morphOf === undefined ? null : { id: derivedHex(24, id, name), created_at: created, ...morphOf(details) },
      template_id: mail.facts.template?.id ?? "",
    },
  };
}

/** Mail as inbound routes of MailerSend post it. */
export const mailerSendInbound: InboundShape = {
  name: "mailersend",
  label: "MailerSend inbound",
  ...signature.credentials,
  render: (mail, _options, signing) =>
    signedRequest(
      {
        type: "inbound.message",
        inbound_id: derivedHex(16, signing.target),
        url: signing.url,
        created_at: instantText(mail.receivedAt),
        data: messageOf(mail),
      },
      signing,
    ),
};

/** Signs of SPF results (RFC 7208 §4.6.2). */
const spfCodes: ReadonlyMap<string, string> = new Map([
  ["pass", "+"],
  ["fail", "-"],
  ["softfail", "~"],
  ["neutral", "?"],
]);

function messageOf(mail: InboundMail): JsonObject {
  const { from, to, cc, recipient, envelope, verdicts } = mail;
  const [sender = { name: "", address: envelope.from }] = from;
  return {
    object: "message",
    id: derivedHex(24, mail.id),
    recipients: {
      rcptTo: [{ email: recipient }],
      to: addressesOf(to),
      ...(cc.length > 0 && { cc: addressesOf(cc) }),
    },
    from: { ...addressOf(sender), raw: addressText([sender]) },
    sender: { email: envelope.from },
    subject: mail.subject,
    date: mail.date,
    headers: headersOf(mail.rawHeaders),
    text: mail.text,
    html: mail.html,
    raw: Buffer.from(mail.raw).toString("utf8"),
    attachments: mail.attachments.map(({ fileName, contentType, contentId, isInline, content }) => ({
      file_name: fileName,
      content_type: contentType,
      content_disposition: isInline ? "inline" : "attachment",
      ...(contentId !== null && { content_id: contentId }),
      size: content.byteLength,
      content: Buffer.from(content).toString("base64"),
    })),
    spf_check: { code: spfCodes.get(verdicts.spf) ?? "", value: null },
    dkim_check: verdicts.dkim === "pass",
    created_at: instantText(mail.receivedAt),
  };
}

function addressesOf(addresses: readonly InboundAddress[]): JsonObject {
  return { raw: addressText(addresses), data: addresses.map(addressOf) };
}

function addressOf({ name, address }: InboundAddress): JsonObject {
  return { email: address, name };
}

/** Returns header fields as they were received, by name; fields that occur several times are arrays. */
function headersOf(section: string): JsonObject {
  const fields = section.split(/\r?\n(?![ \t])/).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
  return fieldsByName(fields);
}
