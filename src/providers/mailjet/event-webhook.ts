/** Events of Mailjet's Event API: https://dev.mailjet.com/email/guides/webhooks/ */
import { createHash } from "node:crypto";
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import {
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  jsonBody,
  newSecret,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidOfId } from "../formats/uuid.ts";
import { readerOf } from "../kit/events.ts";
import { messageIdOf } from "./messages.ts";

const eventNames: Partial<Record<MailEventType, string>> = {
  dropped: "blocked",
  delivered: "sent",
  bounced: "bounce",
  opened: "open",
  clicked: "click",
  complained: "spam",
  unsubscribed: "unsub",
};

const groupedCountMax = 500;

/** Events of Mailjet. It reports neither that a mail was accepted nor that it was deferred. */
export const mailjetEvents: EventWebhooks = {
  types: Object.keys(eventNames) as MailEventType[],
  automatic: ["delivered"],
  batchCountMax: groupedCountMax,
  batchCountMaxOf: ({ version }) => (version === "1" ? 1 : groupedCountMax),
  settings: [
    {
      name: "version",
      description: "`2` groups events in an array, `1` sends each as an object of its own",
      isSecret: false,
      values: ["2", "1"],
    },
    { ...basicAuthSetting, description: "`user:password` of Basic authentication; new ones by default" },
  ],
  verification: "Compare the user and password in the Authorization header field. Nothing is signed.",
  createSecrets: (given) => {
    const { basicAuth = `mailjet:${newSecret()}` } = givenBasicAuth(given);
    return { secrets: { basicAuth }, publicKey: null, secret: basicAuth };
  },
  render: (events, signing) => {
    const wires = events.map(eventWire);
    const value = signing.options["version"] === "1" ? wires[0] : wires;
    return { headers: basicAuthHeaders(signing), contentType: "application/json", body: jsonBody(value) };
  },
  forge: (request) => withWrongCredentials(request),
};

function eventWire(event: MailEvent): JsonObject {
  const { type, at, recipient, mail, details } = event;
  const { metadata, tags } = mail.facts;
  const uuid = uuidOfId(mail.providerId) || mail.id;
  return {
    event: eventNames[type],
    time: Math.floor(at / 1000),
    MessageID: messageIdOf(uuid),
    Message_GUID: uuid,
    email: recipient,
    mj_campaign_id: 0,
    mj_contact_id: contactIdOf(recipient),
    customcampaign: tags[0] ?? "",
    CustomID: metadata["CustomID"] ?? "",
    Payload: metadata["EventPayload"] ?? "",
    ...describe[type]?.(details, uuid),
  };
}

const describe: Partial<Record<MailEventType, (details: EventDetails, uuid: string) => JsonObject>> = {
  delivered: ({ reason = "sent (250 2.0.0 OK)" }, uuid) => ({
    mj_message_id: String(messageIdOf(uuid)),
    smtp_reply: reason,
  }),
  opened: clientOf,
  clicked: (details) => ({ url: readerOf(details).url, ...clientOf(details) }),
  bounced: bounceOf,
  dropped: ({ reason = "preblocked" }) => ({ error_related_to: "mailjet", error: reason }),
  complained: () => ({ source: "JMRPP" }),
  unsubscribed: (details) => ({ mj_list_id: 0, ...clientOf(details) }),
};

/** The error is one of Mailjet's table; the reply of the receiving host is the comment. */
function bounceOf({ bounce = "hard", reason }: EventDetails): JsonObject {
  const errors = {
    hard: { error_related_to: "recipient", error: "user unknown" },
    soft: { error_related_to: "recipient", error: "quota exceeded" },
    blocked: { error_related_to: "spam", error: "sender blocked" },
  } as const;
  return { blocked: bounce === "blocked", hard_bounce: bounce === "hard", ...errors[bounce], comment: reason ?? "" };
}

function clientOf(details: EventDetails): JsonObject {
  const { ip, userAgent } = readerOf(details);
  return { ip, geo: "", agent: userAgent };
}

/** Returns the number of a contact, the same for the same address. */
function contactIdOf(recipient: string): number {
  return createHash("sha256").update(recipient.toLowerCase()).digest().readUInt32BE();
}
