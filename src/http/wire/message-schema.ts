/** Messages as the wire shows them; the compiler holds each schema against the type of `core/message.ts`. */
import type {
  Attachment,
  Code,
  Contact,
  HeaderField,
  HtmlContent,
  Image,
  Link,
  Message,
  Metadata,
  Summary,
  TextContent,
} from "../../core/message.ts";
import type { Delivery } from "../../core/delivery.ts";
import type { SmsSegmentation } from "../../core/sms.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

const text = build.string();
const id = build.string({ format: "uuid" });
const server = build.string({ pattern: "^[a-z0-9]{8}$", description: "The server that holds the message." });
const received = build.string({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." });
const type = build.enum(["Email", "SMS"]);

/** A sender or recipient. */
export const contactSchema: WireSchema<Contact> = schemaOf<Contact>()(
  build.object(
    {
      name: build.string({ description: "Empty when absent." }),
      email: orNull(build.string({ description: "null for a phone." })),
      phone: orNull(build.string({ description: "null for an e-mail address." })),
    },
    { $id: "Contact" },
  ),
);

const contacts = build.array(refer(contactSchema));

/** A link of a body. */
export const linkSchema: WireSchema<Link> = schemaOf<Link>()(
  build.object(
    { href: text, text: orNull(build.string({ description: "null when the anchor has no visible text." })) },
    { $id: "Link" },
  ),
);

/** A one-time code. */
export const codeSchema: WireSchema<Code> = schemaOf<Code>()(build.object({ value: text }, { $id: "Code" }));

/** An image of an HTML body. */
export const imageSchema: WireSchema<Image> = schemaOf<Image>()(
  build.object({ src: text, alt: text }, { $id: "Image" }),
);

const links = build.array(refer(linkSchema));
const codes = build.array(refer(codeSchema));
const body = orNull(build.string({ description: "null when the message has no such part." }));

/** HTML content. */
export const htmlContentSchema: WireSchema<HtmlContent> = schemaOf<HtmlContent>()(
  build.object({ links, codes, images: build.array(refer(imageSchema)), body }, { $id: "HtmlContent" }),
);

/** Plain-text content. */
export const textContentSchema: WireSchema<TextContent> = schemaOf<TextContent>()(
  build.object({ links, codes, body }, { $id: "TextContent" }),
);

/** An attachment's record. */
export const attachmentSchema: WireSchema<Attachment> = schemaOf<Attachment>()(
  build.object(
    {
      id,
      contentType: text,
      fileName: text,
      contentId: orNull(text),
      length: build.integer({ description: "Decoded bytes." }),
      url: build.string({ format: "uri" }),
    },
    { $id: "Attachment" },
  ),
);

/** A header field. */
export const headerFieldSchema: WireSchema<HeaderField> = schemaOf<HeaderField>()(
  build.object({ field: text, value: text }, { $id: "HeaderField" }),
);

/** Header section and envelope. */
export const metadataSchema: WireSchema<Metadata> = schemaOf<Metadata>()(
  build.object(
    {
      headers: build.array(refer(headerFieldSchema)),
      ehlo: orNull(text),
      auth: build.optional(
        build.object(
          { user: text, mechanism: build.enum(["PLAIN", "LOGIN"]) },
          { description: "How the SMTP session signed in; absent without AUTH. Never the password." },
        ),
      ),
      mailFrom: orNull(text),
      rcptTo: contacts,
    },
    { $id: "Metadata" },
  ),
);

/** Item of lists and search results. */
export const summarySchema: WireSchema<Summary> = schemaOf<Summary>()(
  build.object(
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
      summary: build.string({ description: "The first 200 or so characters of visible text." }),
      attachments: build.integer({ description: "How many there are." }),
    },
    { $id: "Summary" },
  ),
);

/** What became of a sent message. */
export const deliverySchema: WireSchema<Delivery> = schemaOf<Delivery>()(
  build.object(
    {
      status: build.enum(["Queued", "Sent", "Failed"]),
      attempts: build.integer({ description: "Attempts begun." }),
      lastError: orNull(build.string({ description: "What went wrong last." })),
      updated: build.string({ format: "date-time" }),
    },
    { $id: "Delivery" },
  ),
);

/** How a text travels. */
export const segmentationSchema: WireSchema<SmsSegmentation> = schemaOf<SmsSegmentation>()(
  build.object(
    { encoding: build.enum(["GSM-7", "UCS-2"]), segments: build.integer({ minimum: 1 }) },
    { $id: "SmsSegmentation" },
  ),
);

/** Full detail of one message. */
export const messageSchema: WireSchema<Message> = schemaOf<Message>()(
  build.object(
    {
      id,
      type,
      from: contacts,
      to: contacts,
      cc: contacts,
      bcc: contacts,
      received,
      subject: text,
      html: refer(htmlContentSchema),
      text: refer(textContentSchema),
      attachments: build.array(refer(attachmentSchema)),
      metadata: refer(metadataSchema),
      server,
      defects: build.array(text, { description: "Faults of the received bytes that were tolerated." }),
      delivery: build.optional(refer(deliverySchema)),
      sms: build.optional(refer(segmentationSchema)),
    },
    { $id: "Message" },
  ),
);
