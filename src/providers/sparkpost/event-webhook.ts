/**
 * Requests of SparkPost, with events (https://developers.sparkpost.com/api/webhooks/) and inbound mail
 * (https://developers.sparkpost.com/api/relay-webhooks/), and the credentials that they share
 * (https://support.sparkpost.com/docs/tech-resources/webhook-authentication).
 */
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackRequest, CallbackSigning, EventDetails, EventWebhooks, InboundMail } from "../callbacks.ts";
import type { InboundShape, MailEvent, MailEventType, WebhookCredentials } from "../callbacks.ts";
import {
  basicAuthHeaders,
  derivedHex,
  givenSecret,
  jsonBody,
  newSecret,
  secretHeader,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import { basicAuth, headerSecret, madeSecret, readerOf, secretsOf, usualBrowser } from "../kit/events.ts";

const tokenHeader = "x-messagesystems-webhook-token";

/** Token in a header field of its own, and credentials of Basic authentication or a bearer token. */
const credentials: WebhookCredentials = {
  ...secretsOf(
    madeSecret("token", "Value of `X-MessageSystems-Webhook-Token`; a new one by default"),
    basicAuth,
    {
      name: "accessToken",
      description: "Bearer token of OAuth 2.0; none by default",
      read: (given) => givenSecret(given, "accessToken"),
    },
    headerSecret,
  ),
  verification: "Compare `X-MessageSystems-Webhook-Token`, or the Authorization header field. Nothing is signed.",
  forge: (request) => {
    const forged = request.headers["authorization"] === undefined ? request : withWrongCredentials(request);
    return { ...forged, headers: { ...forged.headers, [tokenHeader]: newSecret() } };
  },
};

/** Returns a request with a batch of JSON, whose id the parts determine. */
export function batchRequest(
  signing: Pick<CallbackSigning, "url" | "secrets">,
  batch: unknown,
  ...idParts: readonly (string | number)[]
): CallbackRequest {
  const { token = "", accessToken } = signing.secrets;
  const bearer = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const own = secretHeader(signing.secrets);
  const batchId = { "x-messagesystems-batch-id": derivedHex(32, ...idParts) };
  return {
    headers: { ...own.headers, ...basicAuthHeaders(signing), ...bearer, [tokenHeader]: token, ...batchId },
    secretHeaders: [tokenHeader, ...own.secretHeaders],
    contentType: "application/json",
    body: jsonBody(batch),
  };
}

/** Events of SparkPost. */
export const sparkPostEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  ...credentials,
  nameOf: ({ type }) => kinds[type][1],
  render: (events, signing) => batchRequest(signing, events.map(eventWire), ...events.map(({ id }) => id)),
};

/** Class and type of the event of each type. */
const kinds: Readonly<Record<MailEventType, readonly [eventClass: string, type: string]>> = {
  processed: ["message_event", "injection"],
  dropped: ["message_event", "policy_rejection"],
  deferred: ["message_event", "delay"],
  delivered: ["message_event", "delivery"],
  bounced: ["message_event", "bounce"],
  opened: ["track_event", "open"],
  clicked: ["track_event", "click"],
  complained: ["message_event", "spam_complaint"],
  unsubscribed: ["unsubscribe_event", "list_unsubscribe"],
};

/** Names of all events. */
export const eventNames: readonly string[] = Object.values(kinds).map(([, name]) => name);

function eventWire(event: MailEvent): JsonObject {
  const { id, type, at, recipient, mail } = event;
  const { tags, metadata, template } = mail.facts;
  const [eventClass, name] = kinds[type];
  const campaign = campaignOf(event);
  return {
    msys: {
      [eventClass]: {
        type: name,
        event_id: uuidToDecimal(id),
        timestamp: String(Math.floor(at / 1000)),
        transmission_id: mail.providerId,
        message_id: derivedHex(20, mail.id),
        injection_time: new Date(mail.sentAt),
        ...(campaign !== undefined && { campaign_id: campaign }),
        ...(template !== null && { template_id: template.id, template_version: "0" }),
        friendly_from: mail.from,
        msg_from: mail.from,
        msg_size: String(mail.sizeBytes),
        subject: mail.subject,
        rcpt_to: recipient.toLowerCase(),
        raw_rcpt_to: recipient,
        rcpt_tags: tags,
        rcpt_meta: metadata,
        customer_id: "1",
        recipient_domain: recipient.slice(recipient.lastIndexOf("@") + 1),
        routing_domain: recipient.slice(recipient.lastIndexOf("@") + 1),
        ...describe[type]?.(event.details),
      },
    },
  };
}

function campaignOf({ mail }: MailEvent): unknown {
  const field = mail.headers.find((one) => one.field.toLowerCase() === "x-msys-api");
  return field === undefined ? undefined : readJsonObject(field.value)?.["campaign_id"];
}

const bounces = {
  hard: ["10", "550 5.1.1 No such user"],
  soft: ["22", "552 5.2.2 Mailbox full"],
  blocked: ["25", "554 5.7.1 Recipient address suppressed due to system policy"],
} as const;

function failure(kind: keyof typeof bounces, { reason, code }: EventDetails): JsonObject {
  const [bounceClass, usual] = bounces[kind];
  const raw = reason ?? usual;
  const errorCode = code === undefined ? (/^\d{3}/.exec(raw)?.[0] ?? "550") : String(code);
  return { bounce_class: bounceClass, error_code: errorCode, raw_reason: raw, reason: raw };
}

function reading(details: EventDetails): JsonObject {
  const { ip, userAgent } = readerOf(details, usualBrowser);
  return { ip_address: ip, user_agent: userAgent };
}

/** Members of events by type. */
const describe: Partial<Record<MailEventType, (details: EventDetails) => JsonObject>> = {
  dropped: (details) => failure("blocked", details),
  deferred: (details) => ({
    ...failure("soft", { reason: "451 4.3.0 Try again later", ...details }),
    num_retries: "1",
  }),
  delivered: () => ({ num_retries: "0", queue_time: "12", ip_address: "127.0.0.1" }),
  bounced: (details) => ({ ...failure(details.bounce ?? "hard", details), num_retries: "0" }),
  opened: reading,
  clicked: (details) => ({ ...reading(details), target_link_url: readerOf(details).url, target_link_name: "" }),
  complained: () => ({ fbtype: "abuse", report_by: "example.com", report_to: "abuse.sparkpostmail.com", user_str: "" }),
  unsubscribed: () => ({ mailfrom: "unsubscribe@sparkpostmail.com" }),
};

/** Relay webhooks of SparkPost. */
export const sparkPostInboundShape: InboundShape = {
  name: "sparkpost",
  label: "SparkPost relay webhook",
  ...credentials,
  render: (mail, _options, signing) =>
    batchRequest(signing, [{ msys: { relay_message: relayWire(mail, signing.target) } }], mail.id),
};

function relayWire(mail: InboundMail, target: string): JsonObject {
  const raw = Buffer.from(mail.raw);
  const text = raw.toString("utf8");
  // Bytes that are no UTF-8 need base64.
  const isText = Buffer.from(text, "utf8").equals(raw);
  const [from] = mail.from;
  return {
    content: {
      email_rfc822: isText ? text : raw.toString("base64"),
      email_rfc822_is_base64: !isText,
      headers: mail.headers.map(([name, value]) => ({ [name]: value })),
      html: mail.html,
      subject: mail.subject,
      text: mail.text,
      to: mail.to.map(({ address }) => address),
      ...(mail.cc.length > 0 && { cc: mail.cc.map(({ address }) => address) }),
    },
    customer_id: "1",
    friendly_from: from?.address ?? mail.envelope.from,
    msg_from: mail.envelope.from,
    rcpt_to: mail.recipient,
    protocol: "smtp",
    webhook_id: uuidToDecimal(target),
  };
}
