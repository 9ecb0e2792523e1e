/** Events of a mail: every recipient has one `accepted` and one `delivered`. */
import { createHash } from "node:crypto";
import type { StoredEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { contactText, mailgunUuidOf } from "./response.ts";

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

/** Returns the values of the fields that can be filtered, by name. */
export function valuesOfEvent({ mail, event, recipient }: MailEvent): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ["event", [event]],
    ["message-id", [mail.messageId]],
    ["recipient", [recipient]],
    ["from", [mail.from]],
    ["to", [mail.to]],
    ["subject", [mail.subject]],
    ["tags", mail.facts.tags],
    ["attachment", mail.attachments.map(({ filename }) => filename)],
    ["list", []],
  ]);
}

/** Returns an event as the API shows it; `domainUrl` is the URL of the domain in the API of messages. */
export function eventWire(event: MailEvent, domainUrl: string): JsonObject {
  const id = createHash("sha256").update(`${event.event} ${event.mail.uuid} ${event.recipient}`).digest("base64url");
  const members = event.event === "accepted" ? accepted : delivered(250, "OK");
  return {
    ...eventMembers({ ...event, id: id.slice(0, 22), level: "info" }, members),
    ...mailMembers(event, domainUrl),
  };
}

/** Returns the members of every event; `members` are those of its type. */
export function eventMembers(
  { mail: { facts }, event, recipient, timestamp, id, level }: EventHead,
  members: JsonObject,
): JsonObject {
  return {
    event,
    id,
    timestamp: timestamp / 1000,
    "log-level": level,
    ...members,
    recipient,
    "recipient-domain": recipient.split("@").at(-1) ?? "",
    tags: facts.tags,
    campaigns: [],
    "user-variables": facts.metadata,
    ...(facts.template !== null && { template: { name: facts.template.id } }),
  };
}

/** Event of any type, without the members of its type. */
export type EventHead = Pick<MailEvent, "recipient" | "timestamp"> & {
  readonly mail: Pick<EventMail, "facts">;
  readonly event: string;
  readonly id: string;
  readonly level: "info" | "warn" | "error";
};

/** Returns the members that show the mail: envelope, header fields, attachments, storage. */
export function mailMembers({ mail, recipient }: Pick<MailEvent, "mail" | "recipient">, domainUrl: string): JsonObject {
  const key = uuidToBase64url(mail.uuid);
  const headers = { to: mail.to, "message-id": mail.messageId, from: mail.from, subject: mail.subject };
  return {
    envelope: { transport: "smtp", sender: mail.sender, targets: recipient },
    message: { headers, attachments: mail.attachments, size: mail.size },
    storage: { url: `${domainUrl}/messages/${key}`, key },
  };
}

const acceptedFlags = { "is-authenticated": true, "is-test-mode": false };

/** Flags of events after the acceptance. */
export const deliveryFlags: Readonly<Record<string, boolean>> = {
  ...acceptedFlags,
  "is-routed": false,
  "is-system-test": false,
};

/** Members of `accepted`. */
export const accepted: JsonObject = { method: "HTTP", flags: acceptedFlags };

/** Members of the status of every delivery that reached a host. */
export const hostStatus: JsonObject = {
  tls: true,
  "mx-host": "localhost",
  "session-seconds": 0,
  utf8: true,
  "attempt-no": 1,
  "certificate-verified": true,
};

/** Returns the members of `delivered`, with the reply of the host. */
export function delivered(code: number, message: string): JsonObject {
  return { flags: deliveryFlags, "delivery-status": { ...hostStatus, code, description: "", message } };
}
