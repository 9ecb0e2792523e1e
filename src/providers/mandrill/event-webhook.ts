/**
 * Requests of Mandrill, with events of messages (https://mailchimp.com/developer/transactional/docs/webhooks/) and inbound mail
 * (https://mailchimp.com/developer/transactional/docs/inbound/), and the signature that they share
 * (https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/).
 */
import { createHmac, randomBytes } from "node:crypto";
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackRequest, CallbackSigning, EventDetails, EventWebhooks } from "../callbacks.ts";
import type { InboundAddress, InboundAttachment, InboundMail, InboundShape } from "../callbacks.ts";
import type { MailEvent, MailEventType, WebhookCredentials } from "../callbacks.ts";
import { alterEncoded, basicAuthHeaders, derivedHex, jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { fieldsByName } from "../inbound/mail-texts.ts";
import { basicAuth, madeSecret, readerOf, secretsOf, usualBrowser } from "../kit/events.ts";

const field = "mandrill_events";
const keyBytes = 16;

/** Webhook key, and credentials of Basic authentication. */
const credentials: WebhookCredentials = {
  ...secretsOf(
    madeSecret("key", "Webhook key; a new one by default", () => randomBytes(keyBytes).toString("base64url")),
    basicAuth,
  ),
  verification: "Compare X-Mandrill-Signature with the HMAC-SHA1 of the URL and the sorted form fields, in base64.",
  forge: (request) => {
    const signature = alterEncoded(request.headers["x-mandrill-signature"] ?? "");
    return { ...request, headers: { ...request.headers, "x-mandrill-signature": signature } };
  },
};

/** Returns the request with events, of one message or of several. */
function eventsRequest(wires: readonly unknown[], signing: CallbackSigning): CallbackRequest {
  const events = Buffer.from(jsonBody(wires)).toString("utf8");
  const { key = "", basicAuth: credential } = signing.secrets;
  // The URL is signed as Mandrill's users configure it, with credentials and query string.
  const url = credential === undefined ? signing.url : signing.url.replace("//", () => `//${credential}@`);
  const signature = createHmac("sha1", key).update(url + field + events);
  return {
    headers: { ...basicAuthHeaders(signing), "x-mandrill-signature": signature.digest("base64") },
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.from(`${field}=${encodeURIComponent(events)}`, "utf8"),
  };
}

/** Events of Mandrill. */
export const mandrillEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  batchCountMax: 1000,
  ...credentials,
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

/** Inbound webhooks of Mandrill. */
export const mandrillInboundShape: InboundShape = {
  name: "mandrill",
  label: "Mandrill inbound",
  ...credentials,
  render: (mail, _options, signing) => {
    const wire = { event: "inbound", ts: Math.floor(mail.receivedAt / 1000), msg: messageWire(mail) };
    return eventsRequest([wire], signing);
  },
};

function messageWire(mail: InboundMail): JsonObject {
  const [from] = mail.from;
  const { attachments } = mail;
  const images = attachments.filter((one) => one.isInline && one.contentType.startsWith("image/"));
  const files = attachments.filter((one) => !images.includes(one));
  return {
    raw_msg: Buffer.from(mail.raw).toString("utf8"),
    headers: fieldsByName(mail.headers),
    text: mail.text,
    text_flowed: false,
    html: mail.html,
    from_email: from?.address ?? mail.envelope.from,
    from_name: from?.name ?? "",
    to: mail.to.map(pairOf),
    ...(mail.cc.length > 0 && { cc: mail.cc.map(pairOf) }),
    email: mail.recipient,
    subject: mail.subject,
    tags: [],
    sender: null,
    ...(files.length > 0 && { attachments: byName(files, (one) => one.fileName) }),
    ...(images.length > 0 && { images: byName(images, (one) => one.contentId ?? one.fileName) }),
    spam_report: spamWire(mail),
    spf: { result: mail.verdicts.spf, detail: "" },
    dkim: { signed: mail.verdicts.dkim !== "none" && mail.verdicts.dkim !== "", valid: mail.verdicts.dkim === "pass" },
    template: null,
  };
}

function pairOf({ address, name }: InboundAddress): readonly [string, string | null] {
  return [address, name === "" ? null : name];
}

/** Returns the files by name; a name that repeats gets a number. */
function byName(files: readonly InboundAttachment[], nameOf: (file: InboundAttachment) => string): JsonObject {
  const found = new Map<string, JsonObject>();
  for (const file of files) {
    const name = nameOf(file);
    let key = name;
    for (let number = 2; found.has(key); number += 1) key = `${name} (${String(number)})`;
    const content = Buffer.from(file.content).toString("base64");
    found.set(key, { name: file.fileName, type: file.contentType, content, base64: true });
  }
  return Object.fromEntries(found);
}

/** Reads the rules from the lines of SpamAssassin's report: points, name and description. */
function spamWire({ spam }: InboundMail): JsonObject {
  const rules = spam.report.split("\n").flatMap((line) => {
    const [, score, name, description = ""] = /^\s*(-?\d+(?:\.\d+)?)\s+([A-Z][A-Z0-9_]*)\s*(.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [{ name, score: Number(score), description }];
  });
  return { score: spam.score, matched_rules: rules };
}
