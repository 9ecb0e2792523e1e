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

const text = build.String();
const id = build.String({ format: "uuid" });
const server = build.String({ pattern: "^[a-z0-9]{8}$", description: "The server that holds the message." });
const received = build.String({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." });
const type = build.Enum(["Email", "SMS"]);

/** A sender or recipient. */
export const contactSchema: WireSchema<Contact> = schemaOf<Contact>()(
  build.Object(
    {
      name: build.String({ description: "Empty when absent." }),
      email: orNull(build.String({ description: "null for a phone." })),
      phone: orNull(build.String({ description: "null for an e-mail address." })),
    },
    { $id: "Contact" },
  ),
);

const contacts = build.Array(refer(contactSchema));

/** A link of a body. */
export const linkSchema: WireSchema<Link> = schemaOf<Link>()(
  build.Object(
    { href: text, text: orNull(build.String({ description: "null when the anchor has no visible text." })) },
    { $id: "Link" },
  ),
);

/** A one-time code. */
export const codeSchema: WireSchema<Code> = schemaOf<Code>()(build.Object({ value: text }, { $id: "Code" }));

/** An image of an HTML body. */
export const imageSchema: WireSchema<Image> = schemaOf<Image>()(
  build.Object({ src: text, alt: text }, { $id: "Image" }),
);

const links = build.Array(refer(linkSchema));
const codes = build.Array(refer(codeSchema));
const body = orNull(build.String({ description: "null when the message has no such part." }));

/** HTML content. */
export const htmlContentSchema: WireSchema<HtmlContent> = schemaOf<HtmlContent>()(
  build.Object({ links, codes, images: build.Array(refer(imageSchema)), body }, { $id: "HtmlContent" }),
);

/** Plain-text content. */
export const textContentSchema: WireSchema<TextContent> = schemaOf<TextContent>()(
  build.Object({ links, codes, body }, { $id: "TextContent" }),
);

/** An attachment's record. */
export const attachmentSchema: WireSchema<Attachment> = schemaOf<Attachment>()(
  build.Object(
    {
      id,
      contentType: text,
      fileName: text,
      contentId: orNull(text),
      length: build.Integer({ description: "Decoded bytes." }),
      url: build.String({ format: "uri" }),
    },
    { $id: "Attachment" },
  ),
);

/** A header field. */
export const headerFieldSchema: WireSchema<HeaderField> = schemaOf<HeaderField>()(
  build.Object({ field: text, value: text }, { $id: "HeaderField" }),
);

/** Header section and envelope. */
export const metadataSchema: WireSchema<Metadata> = schemaOf<Metadata>()(
  build.Object(
    {
      headers: build.Array(refer(headerFieldSchema)),
      ehlo: orNull(text),
      auth: build.Optional(
        build.Object(
          { user: text, mechanism: build.Enum(["PLAIN", "LOGIN"]) },
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
  build.Object(
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
      summary: build.String({ description: "The first 200 or so characters of visible text." }),
      attachments: build.Integer({ description: "How many there are." }),
    },
    { $id: "Summary" },
  ),
);

/** What became of a sent message. */
export const deliverySchema: WireSchema<Delivery> = schemaOf<Delivery>()(
  build.Object(
    {
      status: build.Enum(["Queued", "Sent", "Failed"]),
      attempts: build.Integer({ description: "Attempts begun." }),
      lastError: orNull(build.String({ description: "What went wrong last." })),
      updated: build.String({ format: "date-time" }),
    },
    { $id: "Delivery" },
  ),
);

/** How a text travels. */
export const segmentationSchema: WireSchema<SmsSegmentation> = schemaOf<SmsSegmentation>()(
  build.Object(
    { encoding: build.Enum(["GSM-7", "UCS-2"]), segments: build.Integer({ minimum: 1 }) },
    { $id: "SmsSegmentation" },
  ),
);

/** Full detail of one message. */
export const messageSchema: WireSchema<Message> = schemaOf<Message>()(
  build.Object(
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
      attachments: build.Array(refer(attachmentSchema)),
      metadata: refer(metadataSchema),
      server,
      defects: build.Array(text, { description: "Faults of the received bytes that were tolerated." }),
      delivery: build.Optional(refer(deliverySchema)),
      sms: build.Optional(refer(segmentationSchema)),
    },
    { $id: "Message" },
  ),
);
