/** Schemas of messages; the compiler compares each with its type in `core/message.ts`. */
import type { Delivery } from "../../core/delivery.ts";
import { faultActions, faultStages } from "../../core/fault.ts";
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
  ProviderOrigin,
  Summary,
  TextContent,
} from "../../core/message.ts";
import type { SmsSegmentation } from "../../core/sms.ts";
import { saslMechanisms } from "../../core/smtp-session.ts";
import type { ShownTranscript, ShownTranscriptEntry } from "../../operations/messages/get-transcript.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

const text = build.string();
const id = build.string({ format: "uuid" });
const server = build.string({ pattern: "^[a-z0-9]{8}$", description: "The server that holds the message." });
const received = build.string({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." });
const type = build.enum(["Email", "SMS"]);

/** Schema of a sender or recipient. */
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

/** Schema of a link. */
export const linkSchema: WireSchema<Link> = schemaOf<Link>()(
  build.object(
    { href: text, text: orNull(build.string({ description: "null when the anchor has no visible text." })) },
    { $id: "Link" },
  ),
);

/** Schema of a one-time code. */
export const codeSchema: WireSchema<Code> = schemaOf<Code>()(build.object({ value: text }, { $id: "Code" }));

/** Schema of an image in an HTML body. */
export const imageSchema: WireSchema<Image> = schemaOf<Image>()(
  build.object({ src: text, alt: text }, { $id: "Image" }),
);

const links = build.array(refer(linkSchema));
const codes = build.array(refer(codeSchema));
const body = orNull(build.string({ description: "null when the message has no such part." }));

/** Schema of HTML content. */
export const htmlContentSchema: WireSchema<HtmlContent> = schemaOf<HtmlContent>()(
  build.object({ links, codes, images: build.array(refer(imageSchema)), body }, { $id: "HtmlContent" }),
);

/** Schema of plain-text content. */
export const textContentSchema: WireSchema<TextContent> = schemaOf<TextContent>()(
  build.object({ links, codes, body }, { $id: "TextContent" }),
);

/** Schema of an attachment. */
export const attachmentSchema: WireSchema<Attachment> = schemaOf<Attachment>()(
  build.object(
    {
      id,
      contentType: text,
      fileName: text,
      contentId: orNull(text),
      length: build.integer({ description: "Length in bytes, decoded." }),
      url: build.string({ format: "uri" }),
    },
    { $id: "Attachment" },
  ),
);

/** Schema of a header field. */
export const headerFieldSchema: WireSchema<HeaderField> = schemaOf<HeaderField>()(
  build.object({ field: text, value: text }, { $id: "HeaderField" }),
);

/** Schema of header section and envelope. */
export const metadataSchema: WireSchema<Metadata> = schemaOf<Metadata>()(
  build.object(
    {
      headers: build.array(refer(headerFieldSchema)),
      ehlo: orNull(text),
      auth: build.optional(
        build.object(
          { user: text, mechanism: build.enum([...saslMechanisms]) },
          { description: "User and mechanism of SMTP AUTH; absent without AUTH. Never the password." },
        ),
      ),
      mailFrom: orNull(text),
      rcptTo: contacts,
      accepted: build.optional(
        build.string({
          format: "date-time",
          description:
            "Instant at which a message was accepted that became visible later, at `received`; absent for others.",
        }),
      ),
      faults: build.optional(
        build.array(
          build.object({ rule: text, stage: build.enum([...faultStages]), action: build.enum([...faultActions]) }),
          { description: "Fault rules that applied before the message was accepted; absent without one." },
        ),
      ),
    },
    { $id: "Metadata" },
  ),
);

/** Schema of an item of lists and search results. */
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
      summary: build.string({ description: "First 200 or so characters of visible text." }),
      attachments: build.integer({ description: "Number of attachments." }),
    },
    { $id: "Summary" },
  ),
);

/** Schema of the delivery state of a sent message. */
export const deliverySchema: WireSchema<Delivery> = schemaOf<Delivery>()(
  build.object(
    {
      status: build.enum(["Queued", "Sent", "Failed"]),
      attempts: build.integer({ description: "Attempts started." }),
      lastError: orNull(build.string({ description: "Last error; null when there was none." })),
      updated: build.string({ format: "date-time" }),
    },
    { $id: "Delivery" },
  ),
);

/** Schema of the segmentation of an SMS. */
export const segmentationSchema: WireSchema<SmsSegmentation> = schemaOf<SmsSegmentation>()(
  build.object(
    { encoding: build.enum(["GSM-7", "UCS-2"]), segments: build.integer({ minimum: 1 }) },
    { $id: "SmsSegmentation" },
  ),
);

/** Schema of the facts about a message that was submitted through a provider's API. */
export const providerOriginSchema: WireSchema<ProviderOrigin> = schemaOf<ProviderOrigin>()(
  build.object(
    {
      name: build.string({ description: "Name of the provider in lower case." }),
      id: build.string({ description: "Id of the message in the response of the provider's API." }),
      tags: build.array(text, { description: "Tags, categories or message types." }),
      metadata: build.record(text, { description: "Metadata, custom arguments or variables." }),
      template: orNull(
        build.object({ id: text, data: build.any({ description: "Data that the template was sent with." }) }),
      ),
      scheduledAt: orNull(build.string({ format: "date-time", description: "null unless the message was scheduled." })),
    },
    { $id: "ProviderOrigin" },
  ),
);

/** Schema of a full message. */
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
      defects: build.array(text, { description: "Defects of the received bytes that were tolerated." }),
      delivery: build.optional(refer(deliverySchema)),
      sms: build.optional(refer(segmentationSchema)),
      provider: build.optional(orNull(refer(providerOriginSchema))),
    },
    { $id: "Message" },
  ),
);

// Schemas of transcripts; the compiler compares each with its type.

/** Schema of an entry of a transcript. */
export const transcriptEntrySchema: WireSchema<ShownTranscriptEntry> = schemaOf<ShownTranscriptEntry>()(
  build.object(
    {
      at: build.integer({ description: "Milliseconds since the start of the session." }),
      from: build.enum(["client", "server", "service"], {
        description: "Speaker; `service` for notes about what is not on the wire, or left out.",
      }),
      text: build.string({ description: "Line without its line end; secrets are masked." }),
      pipelined: build.boolean({ description: "Whether the command arrived before the reply to the previous one." }),
    },
    { $id: "TranscriptEntry" },
  ),
);

/** Schema of the transcript of a session. */
export const transcriptSchema: WireSchema<ShownTranscript> = schemaOf<ShownTranscript>()(
  build.object(
    {
      message: build.string({ description: "Id of the message." }),
      protocol: build.string({
        description:
          "Protocol as in trace fields, such as `ESMTPSA` (RFC 3848), or the version of HTTP, such as `HTTP/1.1`.",
      }),
      clientAddress: build.string({ description: "IP address of the client." }),
      tls: orNull(build.string({ description: "TLS protocol and cipher, or `TLS` for HTTP; null without TLS." })),
      startedAt: build.string({ format: "date-time", description: "Start of the session, UTC." }),
      entries: build.array(refer(transcriptEntrySchema), { description: "Commands and replies, in order." }),
    },
    { $id: "Transcript" },
  ),
);
