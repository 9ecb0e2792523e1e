import type { Contact } from "../../core/message.ts";
import type { DraftMailbox, StoredEmail } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

/** Returns the response that names an object. */
export function objectResponse(object: "email" | "template", id: string): ProviderResponse {
  return jsonResponse(200, { object, id });
}

/** Returns the JSON of a mail: `GET /emails/:id`. */
export function emailResource(email: StoredEmail): JsonObject {
  const { message, facts } = email;
  const header = (name: string): string | undefined =>
    message.metadata.headers.find(({ field }) => field.toLowerCase() === name)?.value;
  const replyTo = header("reply-to");
  return {
    ...emailItem(email),
    message_id: header("message-id") ?? `<${email.providerId}@resend.dev>`,
    html: message.html.body,
    text: message.text.body,
    reply_to: replyTo === undefined ? [] : [replyTo],
    tags: Object.entries(facts.metadata).map(([name, value]) => ({ name, value })),
    topic_id: null,
  };
}

/** Returns the JSON of a mail in a list: `GET /emails`. */
export function emailItem({ providerId, status, createdAt, sendAt, message }: StoredEmail): JsonObject {
  return {
    object: "email",
    id: providerId,
    to: message.to.map(textOfContact),
    from: textOfContact(message.from[0]),
    created_at: instantText(createdAt),
    subject: message.subject,
    bcc: message.bcc.map(textOfContact),
    cc: message.cc.map(textOfContact),
    reply_to: [],
    last_event: status,
    scheduled_at: sendAt === null ? null : instantText(sendAt),
  };
}

/** Returns an instant as Resend writes it: `2026-11-22 10:42:07.123456+00`. */
export function instantText(ms: number): string {
  return `${new Date(ms).toISOString().replace("T", " ").replace("Z", "")}000+00`;
}

/** Returns a mailbox as text, `Name <a@b>`. */
export function mailboxText({ name, address }: DraftMailbox): string {
  return name === "" ? address : `${name} <${address}>`;
}

function textOfContact(contact: Contact | undefined): string {
  return contact === undefined ? "" : mailboxText({ name: contact.name, address: contact.email ?? "" });
}
