/** Message events of Mandrill: https://mailchimp.com/developer/transactional/docs/webhooks/ */
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { mailEventTypes } from "../callbacks.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { readerOf, usualBrowser } from "../kit/events.ts";
import { eventsRequest, mandrillCredentials } from "./webhook.ts";

/** Events of Mandrill. */
export const mandrillEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  ...mandrillCredentials,
  nameOf,
  render: (events, signing) => eventsRequest(events.map(eventWire), signing),
};

/** Name of the event, and the state of its message. */
const kinds: Readonly<Record<MailEventType, readonly [event: string, state: string]>> = {
  processed: ["send", "sent"],
  dropped: ["reject", "rejected"],
  deferred: ["deferral", "deferred"],
  delivered: ["delivered", "sent"],
  bounced: ["hard_bounce", "bounced"],
  opened: ["open", "sent"],
  clicked: ["click", "sent"],
  complained: ["spam", "spam"],
  unsubscribed: ["unsub", "unsub"],
};

const softBounce = "soft_bounce";

/** Names of all events of messages. */
export const eventNames: readonly string[] = [...Object.values(kinds).map(([name]) => name), softBounce];

function nameOf({ type, details }: Pick<MailEvent, "type" | "details">): string {
  return type === "bounced" && details.bounce === "soft" ? softBounce : kinds[type][0];
}

function eventWire(event: MailEvent): JsonObject {
  const { type, at, recipient, mail, details } = event;
  const { tags, metadata, template } = mail.facts;
  const name = nameOf(event);
  const state = name === softBounce ? "soft-bounced" : kinds[type][1];
  const subaccount = mail.headers.find(({ field }) => field.toLowerCase() === "x-mc-subaccount");
  const ts = Math.floor(at / 1000);
  return {
    event: name,
    _id: mail.providerId,
    ts,
    ...readingWire(type, details),
    msg: {
      ts: Math.floor(mail.sentAt / 1000),
      subject: mail.subject,
      email: recipient,
      sender: mail.from,
      tags,
      opens: type === "opened" ? [{ ts }] : [],
      clicks: type === "clicked" ? [{ ts, url: readerOf(details).url }] : [],
      state,
      metadata,
      ...(subaccount !== undefined && { subaccount: subaccount.value }),
      template: template?.id ?? null,
      _id: mail.providerId,
      _version: derivedHex(22, mail.id),
      ...failureWire(type, details, ts),
    },
  };
}

function readingWire(type: MailEventType, details: EventDetails): JsonObject {
  if (type !== "opened" && type !== "clicked") return {};
  const { ip, userAgent, url } = readerOf(details, usualBrowser);
  return { ip, user_agent: userAgent, location: null, user_agent_parsed: null, ...(type === "clicked" && { url }) };
}

function failureWire(type: MailEventType, details: EventDetails, ts: number): JsonObject {
  if (type === "dropped") return { reject: { reason: "custom", last_event_at: null, detail: details.reason ?? "" } };
  if (type === "deferred") {
    const diag = details.reason ?? "451 4.3.5 Temporarily unavailable, try again later.";
    return {
      smtp_events: [{ ts, type: "deferred", diag, source_ip: "127.0.0.1", destination_ip: "127.0.0.1", size: 0 }],
    };
  }
  if (type !== "bounced") return {};
  const [description, code, usual] = bounces[details.bounce ?? "hard"];
  return { bounce_description: description, bgtools_code: code, diag: `smtp;${details.reason ?? usual}` };
}

const bounces = {
  hard: ["bad_mailbox", 10, "550 5.1.1 The email account that you tried to reach does not exist."],
  soft: ["mailbox_full", 22, "552 5.2.2 Over Quota"],
  blocked: ["spam", 50, "550 5.7.1 The message was rejected"],
} as const;
