import { contentIdText, leafContentType, usableMessageIds } from "./header-text.ts";
import { writeMail, type Entity, type Leaf, type Mailbox, type MailFields } from "./write-mail.ts";

/** A file that a mail carries; it arrives byte for byte. */
export interface ComposedAttachment {
  /** Kept verbatim but for controls; null for none. */
  readonly fileName: string | null;
  /** As declared, with parameters; what is none, or a multipart, becomes `application/octet-stream`. */
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Without angle brackets (RFC 2392). */
  readonly contentId?: string | null;
  /** Shown within the HTML body rather than beside it. */
  readonly isInline?: boolean;
}

/** What is said of a mail by its maker: the same stamp gives the same bytes. */
export interface Stamp {
  /** With its angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** Any text that belongs to this mail alone; part boundaries are made of it. */
  readonly boundarySeed: string;
}

/** A mail to be written. Bodies that are null are absent; without either there is an empty text body. */
export interface MailToCompose extends Stamp {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments?: readonly ComposedAttachment[];
  /** With angle brackets; ids that cannot stand in a field are left out. */
  readonly inReplyTo?: string | null;
  readonly references?: readonly string[];
  /** Unstructured fields besides those that follow from the members above. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** RFC 5322 §2.1.1. */
const lineBytesMax = 998;
const cr = 13;
const lf = 10;

/**
 * The raw mail: text and HTML as alternatives, inline files related to the HTML (RFC 2387), the others beside them in
 * the given order. No member can add a header field, a part or a recipient, whatever characters it has: controls
 * become spaces. Addresses are not judged here.
 */
export async function composeMail(mail: MailToCompose): Promise<Uint8Array> {
  return await writeMail(fieldsOf(mail), rootOf(mail), mail.boundarySeed);
}

function fieldsOf(mail: MailToCompose): MailFields {
  return {
    from: mail.from,
    to: mail.to,
    cc: mail.cc ?? [],
    subject: mail.subject,
    messageId: mail.messageId,
    date: mail.date,
    inReplyTo: usableMessageIds([mail.inReplyTo ?? ""])[0] ?? null,
    references: usableMessageIds(mail.references ?? []),
    extra: mail.extra ?? {},
  };
}

function rootOf(mail: MailToCompose): Entity {
  const attachments = mail.attachments ?? [];
  const related = mail.html === null ? [] : attachments.filter(isRelated);
  const beside = attachments.filter((attachment) => !related.includes(attachment));
  const body = bodyOf(mail, related);
  return beside.length === 0 ? body : multipart("mixed", [body, ...beside.map(attachmentLeaf)]);
}

function bodyOf(mail: MailToCompose, related: readonly ComposedAttachment[]): Entity {
  if (mail.html === null) return textLeaf("plain", mail.text ?? "");
  const html = textLeaf("html", mail.html);
  const shown = related.length === 0 ? html : multipart("related", [html, ...related.map(attachmentLeaf)]);
  return mail.text === null ? shown : multipart("alternative", [textLeaf("plain", mail.text), shown]);
}

/** A text body in UTF-8, encoded as suits it. */
export function textLeaf(subtype: "plain" | "html" | "rfc822-headers", content: string): Leaf {
  const contentType = `text/${subtype}; charset=utf-8`;
  return { contentType, content, transferEncoding: null, disposition: null, fileName: null, contentId: null };
}

/** How bytes may be written as they are: CRLF line ends only, lines not too long, no NUL; null when they may not. */
export function identityEncoding(bytes: Uint8Array): "7bit" | "8bit" | null {
  let lineStart = 0;
  let encoding: "7bit" | "8bit" = "7bit";
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === 0) return null;
    if (byte === cr && bytes[position + 1] !== lf) return null;
    if (byte === lf) {
      if (bytes[position - 1] !== cr) return null;
      lineStart = position + 1;
    }
    if (position - lineStart >= lineBytesMax + 1) return null;
    if ((byte ?? 0) > 127) encoding = "8bit";
  }
  return encoding;
}

function isRelated(attachment: ComposedAttachment): boolean {
  return attachment.isInline === true && contentIdText(attachment.contentId ?? "") !== null;
}

/**
 * Text is never inline: a reader would take it for a body. A mail within a mail has no other encoding than its own
 * bytes (RFC 2046 §5.2.1), unless they could not travel unharmed: then base64, which readers understand all the same.
 */
function attachmentLeaf(attachment: ComposedAttachment): Leaf {
  const contentType = leafContentType(attachment.contentType);
  const identity = contentType.startsWith("message/") ? identityEncoding(attachment.content) : null;
  return {
    contentType,
    content: attachment.content,
    transferEncoding: identity ?? "base64",
    disposition: attachment.isInline === true && !contentType.startsWith("text/") ? "inline" : "attachment",
    fileName: attachment.fileName,
    contentId: contentIdText(attachment.contentId ?? ""),
  };
}

function multipart(subtype: "mixed" | "alternative" | "related", children: readonly Entity[]): Entity {
  const type = subtype === "related" ? '; type="text/html"' : "";
  return { contentType: `multipart/${subtype}${type}`, children };
}
