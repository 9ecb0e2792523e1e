/**
 * Shapes of a message as the API returns them. Store, operations and HTTP use the same types.
 */
import { deliverySchema } from "./delivery.ts";
import { faultActions, faultStages } from "./fault.ts";
import type { AttachmentId, MessageId, ServerId } from "./ids.ts";
import { build, orNull, refer, type ValueOf } from "./schema.ts";
import { segmentationSchema } from "./sms.ts";
import { authenticationSchema } from "./smtp-session.ts";
import { summaryContactCountMax, summaryContactsLengthMax } from "./limits.ts";

/** Direction of a message: received by a server, or sent by it. */
export type Direction = "Received" | "Sent";

const text = build.string();
const id = build.string<MessageId>({ format: "uuid", description: "Id of the message." });
const server = build.string<ServerId>({ pattern: "^[a-z0-9]{8}$", description: "The server that holds the message." });
const received = build.string({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." });
const type = build.enum(["Email", "SMS"]);

/** Transport of a message. */
export type MessageType = ValueOf<typeof type>;

/** Schema of a sender or recipient. */
export const contactSchema = build.object(
  {
    name: build.string("Empty when absent."),
    email: orNull(build.string("null for a phone.")),
    phone: orNull(build.string("null for an e-mail address.")),
  },
  { $id: "Contact" },
);

/** Mailbox (RFC 5322 §3.4) or phone. */
export type Contact = ValueOf<typeof contactSchema>;

const contacts = build.array(refer(contactSchema));

/** Schema of a link. */
export const linkSchema = build.object(
  {
    href: build.string("Target, decoded but not normalised."),
    text: orNull(build.string("null when the anchor has no visible text.")),
  },
  { $id: "Link" },
);

/** Link of a body; `text` equals `href` in plain text. */
export type Link = ValueOf<typeof linkSchema>;

/** Schema of a one-time code. */
export const codeSchema = build.object({ value: build.string("Code as a person would type it.") }, { $id: "Code" });

/** One-time code, PIN or passcode. */
export type Code = ValueOf<typeof codeSchema>;

/** Schema of an image in an HTML body. */
export const imageSchema = build.object(
  {
    src: build.string("Source as written; `cid:` URLs refer to attachments."),
    alt: build.string("Alternative text; empty when missing."),
  },
  { $id: "Image" },
);

/** Image of an HTML body. */
export type Image = ValueOf<typeof imageSchema>;

const links = build.array(refer(linkSchema));
const codes = build.array(refer(codeSchema));
const body = orNull(build.string("null when the message has no such part."));

/** Schema of HTML content. */
export const htmlContentSchema = build.object(
  { links, codes, images: build.array(refer(imageSchema), "Images, in document order."), body },
  { $id: "HtmlContent" },
);

/** HTML content. */
export type HtmlContent = ValueOf<typeof htmlContentSchema>;

/** Schema of plain-text content. */
export const textContentSchema = build.object({ links, codes, body }, { $id: "TextContent" });

/** Plain-text content. */
export type TextContent = ValueOf<typeof textContentSchema>;

const storedAttachment = {
  id: build.string<AttachmentId>({
    format: "uuid",
    description: "Id of the attachment, for `GET /api/files/attachments/{id}`.",
  }),
  contentType: text,
  fileName: build.string("File name of the disposition, else of the content type, else the Content-ID."),
  contentId: orNull(text, "Content-ID without angle brackets; null when the part has none."),
  length: build.integer("Length in bytes, decoded."),
};

/** Schema of an attachment. */
export const attachmentSchema = build.object(
  { ...storedAttachment, url: build.string({ format: "uri", description: "URL of the decoded content." }) },
  { $id: "Attachment" },
);

/** Attachment or inline part, in MIME order; `fileName` is never used as a path. */
export type Attachment = ValueOf<typeof attachmentSchema>;

/** Schema of a header field. */
export const headerFieldSchema = build.object(
  {
    field: build.string("Name of the field, as written."),
    value: build.string("Value, unfolded and decoded."),
  },
  { $id: "HeaderField" },
);

/** Header field. */
export type HeaderField = ValueOf<typeof headerFieldSchema>;

const faultSchema = build.object({
  rule: build.string("Name of the rule."),
  stage: build.enum([...faultStages], "Stage at which the rule applied."),
  action: build.enum([...faultActions], "Main effect of the rule."),
});

/** Schema of header section and envelope. */
export const metadataSchema = build.object(
  {
    headers: build.array(refer(headerFieldSchema), "All header fields, in order, repeated ones included."),
    ehlo: orNull(text, "Name that the SMTP client gave with EHLO or HELO; null without a session."),
    auth: build.optional(authenticationSchema),
    mailFrom: orNull(text, "Reverse-path of the envelope; empty for the null reverse-path, null without an envelope."),
    rcptTo: build.array(refer(contactSchema), "Recipients of the envelope."),
    accepted: build.optional(
      build.string({
        format: "date-time",
        description:
          "Instant at which a message was accepted that became visible later, at `received`; absent for others.",
      }),
    ),
    faults: build.optional(
      build.array(faultSchema, "Fault rules that applied before the message was accepted; absent without one."),
    ),
  },
  { $id: "Metadata" },
);

/** All header fields in order, and the SMTP envelope; null and [] for messages without an SMTP session. */
export type Metadata = ValueOf<typeof metadataSchema>;

/** Schema of an item of lists and search results. */
export const summarySchema = build.object(
  {
    id,
    type,
    server,
    subject: text,
    from: contacts,
    to: contacts,
    cc: contacts,
    bcc: contacts,
    received,
    summary: build.string("First 200 or so characters of visible text."),
    attachments: build.integer("Number of attachments."),
  },
  { $id: "Summary" },
);

/** Item of lists and search results. */
export type Summary = ValueOf<typeof summarySchema>;

/** Schema of the facts about a message that was submitted through a provider's API. */
export const providerOriginSchema = build.object(
  {
    name: build.string("Name of the provider in lower case."),
    id: build.string("Id of the message in the response of the provider's API."),
    tags: build.array(text, "Tags, categories or message types."),
    metadata: build.record(text, "Metadata, custom arguments or variables."),
    template: orNull(
      build.object({
        id: build.string("Id or name of the template."),
        data: build.any("Data that the template was sent with."),
      }),
      "Template that the message was submitted with; null without one.",
    ),
    scheduledAt: orNull(build.string({ format: "date-time", description: "null unless the message was scheduled." })),
  },
  { $id: "ProviderOrigin" },
);

/** Facts about a message that was submitted through the API of a provider; an extension. */
export type ProviderOrigin = ValueOf<typeof providerOriginSchema>;

const members = {
  id,
  type,
  from: contacts,
  to: contacts,
  cc: contacts,
  bcc: contacts,
  received,
  subject: text,
  html: refer(htmlContentSchema, "HTML body and what was found in it."),
  text: refer(textContentSchema, "Plain-text body and what was found in it."),
  attachments: build.array(refer(attachmentSchema)),
  metadata: refer(metadataSchema, "Header fields and SMTP envelope."),
  server,
  defects: build.array(text, "Defects of the received bytes that were tolerated."),
  delivery: build.optional(refer(deliverySchema, "Delivery state of a sent message; absent for received ones.")),
  sms: build.optional(refer(segmentationSchema, "Encoding and segments of an SMS; absent for e-mail.")),
  provider: build.optional(
    orNull(
      refer(providerOriginSchema),
      "Facts of the provider's API that the message was submitted through; null for other messages.",
    ),
  ),
};

/** Schema of a full message. */
export const messageSchema = build.object(members, { $id: "Message" });

/** Full detail of one message. */
export type Message = ValueOf<typeof messageSchema>;

const { delivery: _delivery, ...stored } = members;

/** Schema of a message as it is stored; without bodies that are read from the raw mail, and without its delivery. */
export const storedMessageSchema = build.object({
  ...stored,
  html: orNull(htmlContentSchema),
  text: orNull(textContentSchema),
  attachments: build.array(build.object(storedAttachment)),
});

/** No contact has more than half of the length of all, so that those before an omitted one have at least the other half. */
const contactLengthMax = summaryContactsLengthMax / 2;

/**
 * Returns the first contacts of a field, within the limits of a summary; names and addresses longer than half of the limit
 * are cut.
 */
export function summaryContacts(contacts: readonly Contact[]): readonly Contact[] {
  let length = 0;
  const kept: Contact[] = [];
  for (const contact of contacts) {
    const cut = shortened(contact);
    length += lengthOf(cut);
    if (kept.length >= summaryContactCountMax || length > summaryContactsLengthMax) break;
    kept.push(cut);
  }
  return kept;
}

/** Returns whether a field may have more contacts, or longer ones, than {@link summaryContacts} returned for it. */
export function mayBeCut(contacts: readonly Contact[]): boolean {
  // A cut may leave out half of a surrogate pair.
  const length = contacts.reduce((sum, contact) => sum + lengthOf(contact), 0);
  return contacts.length >= summaryContactCountMax || length >= contactLengthMax - 1;
}

function shortened(contact: Contact): Contact {
  if (lengthOf(contact) <= contactLengthMax) return contact;
  const email = contact.email === null ? null : start(contact.email, contactLengthMax);
  return { ...contact, name: start(contact.name, contactLengthMax - (email?.length ?? 0)), email };
}

function start(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "");
}

function lengthOf({ name, email }: Contact): number {
  return name.length + (email?.length ?? 0);
}
