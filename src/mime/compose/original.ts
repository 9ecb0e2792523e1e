import type { Contact } from "../../core/message.ts";
import { decodeBytes, joinTexts } from "../body-content.ts";
import type { Mail } from "../parse-mail.ts";
import type { Part } from "../part.ts";
import type { ComposedAttachment } from "./compose.ts";
import type { Mailbox } from "./address-field.ts";

/** Mail that is replied to or forwarded. */
export interface Original extends Pick<
  Mail,
  "subject" | "from" | "to" | "cc" | "replyTo" | "messageId" | "inReplyTo" | "references"
> {
  /** Milliseconds since the Unix epoch; the instant of receipt if the mail has no valid date. */
  readonly date: number;
  /** Null if the mail has no text body; the caller may put the visible text of the HTML here. */
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: readonly ComposedAttachment[];
}

/**
 * Returns the fields of a parsed mail that replies and forwards use. `receivedAt` is in milliseconds since the epoch.
 */
export function readOriginal(raw: Uint8Array, mail: Mail, receivedAt: number): Original {
  const { subject, from, to, cc, replyTo, messageId, inReplyTo, references } = mail;
  const fields = { subject, from, to, cc, replyTo, messageId, inReplyTo, references };
  return {
    ...fields,
    date: mail.headerDate ?? receivedAt,
    text: joinTexts(raw, mail.textParts),
    html: joinTexts(raw, mail.htmlParts),
    attachments: mail.attachments.map((part) => attachmentOf(raw, part)),
  };
}

/** Returns the contacts that have an address as mailboxes. */
export function mailboxes(contacts: readonly Contact[]): Mailbox[] {
  return contacts.flatMap(({ name, email }) => (email ? [{ name, address: email }] : []));
}

/** Formats contacts for display: `Name <address>, …`. */
export function readableContacts(contacts: readonly Contact[]): string {
  return mailboxes(contacts)
    .map(({ name, address }) => (name ? `${name} <${address}>` : address))
    .join(", ");
}

/** Returns an instant as `Fri, 20 Nov 2026 10:42:07 +0000` (RFC 5322 §3.3). */
export function readableDate(date: number): string {
  return new Date(date).toUTCString().replace("GMT", "+0000");
}

function attachmentOf(raw: Uint8Array, part: Part): ComposedAttachment {
  return {
    fileName: part.fileName,
    contentType: contentTypeOf(part),
    content: decodeBytes(raw, part),
    contentId: part.contentId,
    isInline: part.disposition === "inline" || (part.disposition === null && part.contentId !== null),
  };
}

/** Returns the declared type with the parameters that are needed to decode the content. */
function contentTypeOf(part: Part): string {
  const parameters = ["charset", "method", "format", "delsp"].flatMap((name) => {
    const value = part.parameters.get(name);
    return value !== undefined && /^[\w.+-]+$/.test(value) ? [`; ${name}=${value}`] : [];
  });
  return part.mediaType + parameters.join("");
}
