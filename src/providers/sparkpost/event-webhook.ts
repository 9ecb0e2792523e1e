/** Event webhooks of SparkPost: https://developers.sparkpost.com/api/webhooks/ */
import {
  mailEventTypes,
  type EventDetails,
  type EventWebhooks,
  type MailEvent,
  type MailEventType,
} from "../callbacks.ts";
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import { readerOf, usualBrowser } from "../kit/events.ts";
import { credentialHeaders, sparkPostCredentials } from "./webhook.ts";

/** Events of SparkPost. */
export const sparkPostEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  ...sparkPostCredentials,
  nameOf: ({ type }) => kinds[type][1],
  render: (events, signing) => ({
    ...credentialHeaders(signing, derivedHex(32, ...events.map(({ id }) => id))),
    contentType: "application/json",
    body: jsonBody(events.map(eventWire)),
  }),
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
