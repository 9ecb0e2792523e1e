/** Events of a mail: every recipient has one `accepted` and one `delivered`. */
import { createHash } from "node:crypto";
import type { StoredEmail } from "../email.ts";
import { contactText, mailgunUuidOf, storageKeyOf } from "./response.ts";

/** Fields of events that can be filtered. */
export const filterNames = [
  "event",
  "message-id",
  "recipient",
  "from",
  "to",
  "subject",
  "tags",
  "attachment",
  "list",
] as const;

/** Field of events that can be filtered. */
export type FilterName = (typeof filterNames)[number];

/** Event of one recipient; its mail is shared by all events of the mail. */
export interface MailEvent {
  readonly mail: EventMail;
  readonly event: "accepted" | "delivered";
  readonly recipient: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
}

/** Mail as events show it, without its bodies. */
export interface EventMail {
  readonly uuid: string;
  /** Without angle brackets. */
  readonly messageId: string;
  readonly sender: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly "content-type": string;
    readonly size: number;
  }[];
  readonly size: number;
  readonly facts: StoredEmail["facts"];
}

/** Returns the events of a mail, newest first. */
export function eventsOf(email: StoredEmail): readonly MailEvent[] {
  const { message, createdAt, sendAt } = email;
  const { rcptTo } = message.metadata;
  const recipients = rcptTo.length > 0 ? rcptTo : [...message.to, ...message.cc, ...message.bcc];
  const mail = eventMail(email);
  const instants = [
    ["delivered", Math.max(createdAt, sendAt ?? 0)],
    ["accepted", createdAt],
  ] as const;
  return instants.flatMap(([event, timestamp]) =>
    recipients.map((recipient) => ({ mail, event, recipient: recipient.email ?? "", timestamp })),
  );
}

function eventMail({ message, facts, providerId }: StoredEmail): EventMail {
  const attachments = message.attachments.map(({ fileName, contentType, length }) => ({
    filename: fileName,
    "content-type": contentType,
    size: length,
  }));
  // The size of the whole mail is not known here.
  const bodyBytes = Buffer.byteLength(message.text.body ?? "") + Buffer.byteLength(message.html.body ?? "");
  return {
    uuid: mailgunUuidOf(providerId),
    messageId: providerId.replaceAll(/[<>]/g, ""),
    sender: message.metadata.mailFrom ?? message.from[0]?.email ?? "",
    from: message.from.map(contactText).join(", "),
    to: message.to.map(contactText).join(", "),
    subject: message.subject,
    attachments,
    size: attachments.reduce((sum, { size }) => sum + size, bodyBytes),
    facts,
  };
}

/** Returns the values of the fields that can be filtered. */
export function valuesOfEvent({ mail, event, recipient }: MailEvent): Readonly<Record<FilterName, readonly string[]>> {
  return {
    event: [event],
    "message-id": [mail.messageId],
    recipient: [recipient],
    from: [mail.from],
    to: [mail.to],
    subject: [mail.subject],
    tags: mail.facts.tags,
    attachment: mail.attachments.map(({ filename }) => filename),
    list: [],
  };
}

/** Returns an event as the API shows it; `domainUrl` is the URL of the domain in the API of messages. */
export function eventWire(
  { mail, event, recipient, timestamp }: MailEvent,
  domainUrl: string,
): Readonly<Record<string, unknown>> {
  const { uuid, facts, attachments, size } = mail;
  const key = storageKeyOf(uuid);
  const headers = { to: mail.to, "message-id": mail.messageId, from: mail.from, subject: mail.subject };
  return {
    event,
    id: createHash("sha256").update(`${event} ${uuid} ${recipient}`).digest("base64url").slice(0, 22),
    timestamp: timestamp / 1000,
    "log-level": "info",
    ...(event === "accepted" ? { method: "HTTP", flags: acceptedFlags } : delivery),
    envelope: { transport: "smtp", sender: mail.sender, targets: recipient },
    message: { headers, attachments, size },
    storage: { url: `${domainUrl}/messages/${key}`, key },
    recipient,
    "recipient-domain": recipient.split("@").at(-1) ?? "",
    tags: facts.tags,
    campaigns: [],
    "user-variables": facts.metadata,
    ...(facts.template !== null && { template: { name: facts.template.id } }),
  };
}

const acceptedFlags = { "is-authenticated": true, "is-test-mode": false };

const delivery = {
  flags: { ...acceptedFlags, "is-routed": false, "is-system-test": false },
  "delivery-status": {
    tls: true,
    "mx-host": "localhost",
    code: 250,
    description: "",
    "session-seconds": 0,
    utf8: true,
    "attempt-no": 1,
    message: "OK",
    "certificate-verified": true,
  },
};
