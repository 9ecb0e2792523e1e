/** SendGrid's event webhook (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event). */
import type {
  CallbackRequest,
  CallbackSigning,
  EventDetails,
  EventWebhooks,
  MailEvent,
  MailEventType,
} from "../callbacks.ts";
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import {
  createSignatureKeys,
  forgeSignature,
  signatureHeaders,
  signatureSettings,
  signatureVerification,
} from "./webhook-signature.ts";

/** Type → name of the event. */
const names: Readonly<Record<MailEventType, string>> = {
  processed: "processed",
  dropped: "dropped",
  deferred: "deferred",
  delivered: "delivered",
  bounced: "bounce",
  opened: "open",
  clicked: "click",
  complained: "spamreport",
  unsubscribed: "unsubscribe",
};

const deliveryIp = "127.0.0.1";
const readerIp = "192.0.2.1";
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/** SendGrid's events. */
export const sendGridEvents: EventWebhooks = {
  types: Object.keys(names) as MailEventType[],
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  settings: signatureSettings,
  verification: signatureVerification,
  createSecrets: createSignatureKeys,
  render,
  forge: forgeSignature,
  outcomeOf: () => undefined,
};

function render(events: readonly MailEvent[], signing: CallbackSigning): CallbackRequest {
  // SendGrid ends the array with CR LF, so that receivers which serialise the JSON again fail to verify it.
  const body = Buffer.concat([jsonBody(events.map(eventWire)), Buffer.from("\r\n")]);
  const headers = { "User-Agent": "SendGrid Event API", ...signatureHeaders(body, signing) };
  return { headers, contentType: "application/json;charset=utf-8", body };
}

/** Custom arguments are members of the event itself; those with the name of a member are hidden by it. */
function eventWire(event: MailEvent): Members {
  const { mail, recipient, type } = event;
  const { tags, metadata, template } = mail.facts;
  return {
    ...metadata,
    email: recipient,
    timestamp: Math.floor(event.at / 1000),
    "smtp-id": `<${mail.messageId}>`,
    event: names[type],
    ...(tags.length > 0 && { category: tags }),
    sg_event_id: Buffer.from(event.id.replaceAll("-", ""), "hex").toString("base64url"),
    sg_message_id: messageIdOf(event),
    ...(template !== null && { sg_template_id: template.id }),
    ...details[type](event.details),
  };
}

/** Begins with the `X-Message-Id` of the response to the request, up to the first full stop. */
function messageIdOf({ mail }: MailEvent): string {
  const [requestId = ""] = mail.providerId.split(".");
  return `${requestId}.recvd-${derivedHex(10, mail.id)}-1-${derivedHex(8, mail.id, "part").toUpperCase()}-0.0`;
}

type Members = Readonly<Record<string, unknown>>;

const reading = (given: EventDetails): Members => ({
  ip: given.ip ?? readerIp,
  useragent: given.userAgent ?? browser,
});

/** Type → members of that type. */
const details: Readonly<Record<MailEventType, (given: EventDetails) => Members>> = {
  processed: () => ({}),
  dropped: ({ reason = "Bounced Address", status = "5.0.0" }) => ({ reason, status }),
  deferred: ({ reason = "451 4.3.0 Try again later" }) => ({
    ip: deliveryIp,
    response: reason,
    attempt: "1",
    tls: 1,
  }),
  delivered: ({ reason = "250 2.0.0 OK" }) => ({ ip: deliveryIp, response: reason, tls: 1 }),
  bounced: bounce,
  opened: (given) => ({ ...reading(given), sg_content_type: "html", sg_machine_open: false }),
  clicked: (given) => ({
    ...reading(given),
    url: given.url ?? "https://example.com/",
    url_offset: { index: 0, type: "html" },
  }),
  complained: () => ({}),
  unsubscribed: () => ({}),
};

const bounces = {
  hard: { type: "bounce", status: "5.1.1", reason: "550 5.1.1 The mailbox does not exist" },
  soft: { type: "blocked", status: "5.2.2", reason: "552 5.2.2 The mailbox is full" },
  blocked: { type: "blocked", status: "5.7.1", reason: "550 5.7.1 The message was rejected by policy" },
} as const;

/** A bounce is a hard one; every other permanent failure is a block (`type`). */
function bounce(given: EventDetails): Members {
  const kind = bounces[given.bounce ?? "hard"];
  const status = given.status ?? kind.status;
  const reason = given.reason ?? kind.reason;
  return { ip: deliveryIp, reason, status, tls: 1, type: kind.type, bounce_classification: classify(status) };
}

/** Enhanced status codes by their subject → name of the classification. */
function classify(status: string): string {
  const subject = /^[245]\.([0-7])\./.exec(status)?.[1] ?? "";
  const classes: Readonly<Record<string, string>> = {
    "1": "Invalid Address",
    "2": "Mailbox Unavailable",
    "3": "Technical",
    "4": "Technical",
    "5": "Technical",
    "6": "Content",
    "7": "Reputation",
  };
  return classes[subject] ?? "Unclassified";
}
