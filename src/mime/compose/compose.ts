import { contentIdText, leafContentType, usableMessageIds } from "./header-text.ts";
import { customFields, type MailFields } from "./mail-fields.ts";
import { identityEncoding } from "./transfer-encoding.ts";
import { type Entity, type Leaf, writeMail } from "./write-mail.ts";

/** File to attach; it is transmitted byte for byte. */
export interface ComposedAttachment {
  /** Kept verbatim except for control characters; null for none. */
  readonly fileName: string | null;
  /** As declared, with parameters; an invalid type or a multipart becomes `application/octet-stream`. */
  readonly contentType: string;
  readonly content: Uint8Array;
  /** Without angle brackets (RFC 2392). */
  readonly contentId?: string | null;
  /** Whether the file is embedded in the HTML body instead of attached beside it. */
  readonly isInline?: boolean;
}

/** Identity of a composed mail; the same stamp gives the same bytes. */
export interface Stamp {
  /** With its angle brackets. */
  readonly messageId: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** Any text that is unique to this mail; part boundaries are derived from it. */
  readonly boundarySeed: string;
}

/**
 * Mail to be composed. Bodies that are null are absent; without either there is an empty text body. Ids that are not valid in a
 * header field are omitted, and custom fields that {@link customFields} rejects.
 */
export interface MailToCompose extends Stamp, MailFields {
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments?: readonly ComposedAttachment[];
  /** Whether text may be written as 8bit (RFC 6152), for mail that needs not be relayed; false by default. */
  readonly allows8bit?: boolean;
  /** Whether text with LF line ends keeps them when it is decoded; false by default. */
  readonly keepsLf?: boolean;
}

/**
 * Returns the raw mail: text and HTML as alternatives, embedded files related to the HTML (RFC 2387), the other files
 * after them in the given order. No member can add a header field, a part or a recipient, because control characters
 * become spaces. Addresses are not validated here.
 */
export async function composeMail(mail: MailToCompose): Promise<Uint8Array> {
  return await writeMail(fieldsOf(mail), rootOf(mail), mail);
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
    replyTo: mail.replyTo ?? [],
    custom: customFields(mail.custom ?? [], { hasReplyTo: (mail.replyTo ?? []).length > 0 }),
  };
}

function rootOf(mail: MailToCompose): Entity {
  const attachments = mail.attachments ?? [];
  const related = mail.html === null ? [] : attachments.filter(isRelated);
  const others = attachments.filter((attachment) => !related.includes(attachment));
  const body = bodyOf(mail, related);
  return others.length === 0 ? body : multipart("mixed", [body, ...others.map(attachmentLeaf)]);
}

function bodyOf(mail: MailToCompose, related: readonly ComposedAttachment[]): Entity {
  if (mail.html === null) return textLeaf("plain", mail.text ?? "");
  const html = textLeaf("html", mail.html);
  const shown = related.length === 0 ? html : multipart("related", [html, ...related.map(attachmentLeaf)]);
  return mail.text === null ? shown : multipart("alternative", [textLeaf("plain", mail.text), shown]);
}

/** Returns a text body in UTF-8; its transfer encoding is chosen by its content. */
export function textLeaf(subtype: "plain" | "html" | "rfc822-headers", content: string): Leaf {
  const contentType = `text/${subtype}; charset=utf-8`;
  return { contentType, content, transferEncoding: null, disposition: null, fileName: null, contentId: null };
}

function isRelated(attachment: ComposedAttachment): boolean {
  return attachment.isInline === true && contentIdText(attachment.contentId ?? "") !== null;
}

/**
 * Returns an attachment as a leaf. Text is never inline, because clients would show it as a body. An attached mail is
 * sent without a transfer encoding (RFC 2046 §5.2.1), or in base64 if its bytes would be changed in transit.
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

/** Recipient and sender token of a sample mail. */
interface Sample extends Stamp {
  /** `sample@<server>.<domain>`. */
  readonly to: string;
  /** Letters and digits; a new token for each sample gives each a different sender. */
  readonly senderToken: string;
}

/** Returns the sender of a sample with this token; example.com is reserved (RFC 2606). */
export function sampleSender(senderToken: string): string {
  return `${senderToken}@example.com`;
}

/** Returns the raw mail that a create request with an empty body stores in a server. */
export async function composeSample(sample: Sample): Promise<Uint8Array> {
  const { to, senderToken, ...stamp } = sample;
  return await composeMail({
    ...stamp,
    from: { name: "Example Sender", address: sampleSender(senderToken) },
    to: [{ address: to }],
    subject: "Example message",
    text: `This is a sample email

It has a text body and an HTML body, a link and a code.

Your code is 482913.
Read more: https://example.com/sample
`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Example message</title></head>
<body>
<h1>This is a sample email</h1>
<p>It has a text body and an HTML body, a link and a code.</p>
<p>Your code is <strong>482913</strong>.</p>
<p><a href="https://example.com/sample">Read more</a></p>
</body>
</html>
`,
  });
}
