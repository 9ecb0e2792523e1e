/** Shapes of a message in an export, strict enough that every stored message can be served. */
import { attachmentIdAt, attachmentsPerMessageMax, decodeMessageId } from "../core/ids.ts";
import type { AttachmentId, MessageId, ServerId } from "../core/ids.ts";
import type {
  Code,
  Contact,
  HtmlContent,
  Image,
  Link,
  MessageFault,
  Metadata,
  ProviderOrigin,
  Summary,
  TextContent,
} from "../core/message.ts";
import { faultActions, faultStages } from "../core/fault.ts";
import { annotationBytesMax, markHidingReaderCountMax, markTagCountMax } from "../core/limits.ts";
import { messageFlags, readTag, type StoredMarks } from "../core/marks.ts";
import type { SmsSegmentation } from "../core/sms.ts";
import { saslMechanisms, type SmtpAuthentication, type SmtpSession } from "../core/smtp-session.ts";
import type { MessageToRestore } from "../operations/services/reading/restore-message.ts";
import type { StoredAttachment, StoredDetail, StoredExcerpt } from "../operations/services/reading/stored-detail.ts";
import {
  absent,
  amount,
  anything,
  count,
  flag,
  json,
  list,
  nullable,
  oneOf,
  optional,
  record,
  refuse,
  type Shape,
  text,
  textsByName,
} from "./shape.ts";
import { Problem } from "../core/errors.ts";
import { readScanner } from "../operations/scanner/scanner-settings.ts";
import { type Annotation, annotationKinds } from "../store/annotation-store.ts";
import { smsProviders } from "../providers/registry.ts";

const brandedText = text as Shape<never>;
const authentication = record<SmtpAuthentication>({ user: text, mechanism: oneOf([...saslMechanisms]) });
/** Compared with the content of the id, see {@link checkStored}. */
const messageIdText: Shape<MessageId> = brandedText;
const serverIdText: Shape<ServerId> = brandedText;
const attachmentIdText: Shape<AttachmentId> = brandedText;

const contact = record<Contact>({ name: text, email: nullable(text), phone: nullable(text) });
const contacts = list(contact);
const links = list(record<Link>({ href: text, text: nullable(text) }));
const codes = list(record<Code>({ value: text }));
const images = list(record<Image>({ src: text, alt: text }));
const type = oneOf(["Email", "SMS"]);

/** Summary in lists. */
export const summaryShape: Shape<Summary> = record<Summary>({
  id: messageIdText,
  type,
  server: serverIdText,
  subject: text,
  from: contacts,
  to: contacts,
  cc: contacts,
  bcc: contacts,
  received: text,
  summary: text,
  attachments: count,
});

const attachment = record<StoredAttachment>({
  id: attachmentIdText,
  contentType: text,
  fileName: text,
  contentId: nullable(text),
  length: count,
});

const providerOrigin = record<ProviderOrigin>({
  name: text,
  id: text,
  tags: list(text),
  metadata: textsByName,
  template: nullable(record<{ id: string; data: unknown }>({ id: text, data: anything })),
  scheduledAt: nullable(text),
});

const message = record<StoredDetail["message"]>({
  id: messageIdText,
  type,
  from: contacts,
  to: contacts,
  cc: contacts,
  bcc: contacts,
  received: text,
  subject: text,
  html: nullable(record<HtmlContent>({ links, codes, images, body: nullable(text) })),
  text: nullable(record<TextContent>({ links, codes, body: nullable(text) })),
  attachments: list(attachment),
  metadata: record<Metadata>({
    headers: list(record({ field: text, value: text })),
    ehlo: nullable(text),
    auth: optional(authentication),
    mailFrom: nullable(text),
    rcptTo: contacts,
    accepted: optional(text),
    faults: optional(
      list(record<MessageFault>({ rule: text, stage: oneOf([...faultStages]), action: oneOf([...faultActions]) })),
    ),
  }),
  server: serverIdText,
  defects: list(text),
  // Deliveries have a member of their own.
  delivery: optional(absent),
  provider: optional(nullable(providerOrigin)),
  sms: optional(record<SmsSegmentation>({ encoding: oneOf(["GSM-7", "UCS-2"]), segments: count })),
});

const place = {
  bodyStart: count,
  bodyEnd: count,
  transferEncoding: oneOf(["identity", "base64", "quoted-printable", "uuencode"]),
} as const;
const partText = record<StoredDetail["textParts"][number]>({
  ...place,
  charset: nullable(text),
  flow: oneOf(["fixed", "flowed", "flowed-delsp"]),
});

/** Parsed content that is stored besides the raw bytes; the excerpt is computed again. */
export const detailShape: Shape<StoredDetail & { readonly glance?: StoredExcerpt }> = record<
  StoredDetail & { readonly glance?: StoredExcerpt }
>({
  glance: optional(
    record<StoredExcerpt>({
      codes: nullable(list(text)),
      sizeBytes: amount,
      inline: optional(amount),
      files: optional(list(text)),
      tags: optional(list(text)),
    }),
  ),
  message,
  htmlParts: list(partText),
  textParts: list(partText),
  parts: list(record<StoredDetail["parts"][number]>({ ...place, isInline: optional(flag) })),
  session: nullable(
    record<SmtpSession>({
      ehlo: nullable(text),
      clientAddress: text,
      protocol: text,
      tls: nullable(text),
      authenticatedAs: nullable(serverIdText),
      auth: optional(authentication),
    }),
  ),
  submittedAs: optional(messageIdText),
  transcript: optional(text),
  hops: optional(count),
  media: optional(list(text)),
  via: optional(oneOf(smsProviders.map(({ name }) => name))),
});

/**
 * Throws `ShapeError` for a message that contradicts its id, whose attachments have other ids than the service assigns, or
 * whose parts are outside of its raw bytes.
 */
export function checkStored({ id, summary, detail, raw }: MessageToRestore): void {
  checkIdentity("summary", summary, { id, type: summary.type });
  checkIdentity("detail.message", detail.message, { id, type: summary.type });
  checkAttachments(id, detail);
  for (const name of ["htmlParts", "textParts", "parts"] as const) {
    const outside = detail[name].findIndex(({ bodyStart, bodyEnd }) => bodyStart > bodyEnd || bodyEnd > raw.length);
    if (outside >= 0) refuse(`detail.${name}[${outside}]`, "is outside of the raw bytes");
  }
}

function checkIdentity(
  at: string,
  shown: Pick<Summary, "id" | "server" | "received" | "type">,
  { id, type }: Pick<Summary, "id" | "type">,
): void {
  const { server, receivedAt } = decodeMessageId(id);
  const received = new Date(receivedAt).toISOString();
  if (shown.id !== id) refuse(`${at}.id`, "is that of another message");
  if (shown.server !== server) refuse(`${at}.server`, `is not the server of the message's id, ${server}`);
  if (shown.received !== received) refuse(`${at}.received`, `is not the time of the message's id, ${received}`);
  if (shown.type !== type) refuse(`${at}.type`, "is not that of the summary");
}

function checkAttachments(id: MessageId, { message, parts, media }: StoredDetail): void {
  const { attachments } = message;
  if (attachments.length !== (media ?? parts).length)
    refuse("detail.parts", "must be as many as there are attachments");
  if (attachments.length > attachmentsPerMessageMax) refuse("detail.parts", "are too many");
  const invalid = attachments.findIndex((one, position) => one.id !== attachmentIdAt(id, position));
  if (invalid >= 0) refuse(`detail.message.attachments[${invalid}].id`, "does not follow from the message's id");
}

const tag: Shape<string> = (value, at) => {
  const given = text(value, at);
  return readTag(given) === given ? given : refuse(at, "must be a tag");
};
const tagList: Shape<readonly string[]> = (value, at) => {
  const tags = list(tag)(value, at);
  return tags.length <= markTagCountMax ? tags : refuse(at, `must have at most ${markTagCountMax} elements`);
};

const readerList: Shape<readonly string[]> = (value, at) => {
  const readers = list(text)(value, at);
  const isWithin = readers.length <= markHidingReaderCountMax;
  return isWithin ? readers : refuse(at, `must have at most ${markHidingReaderCountMax} elements`);
};

/** Shape of the flags and tags of a message, and of the readers that have hidden it. */
export const marksShape: Shape<StoredMarks> = record<StoredMarks>({
  flags: list(oneOf(messageFlags)),
  tags: tagList,
  hiddenFrom: optional(readerList),
});

/** Shape of an annotation of a message. */
export const annotationShape: Shape<Annotation> = record<Annotation>({
  kind: oneOf([...annotationKinds]),
  json: (value, at) =>
    Buffer.byteLength(json(value, at)) <= annotationBytesMax
      ? (value as string)
      : refuse(at, `must have at most ${annotationBytesMax} bytes`),
});

/** Shape of the settings of a link scanner, as JSON. */
export const scannerSettingsShape: Shape<string> = (value, at) => {
  const settings = json(value, at);
  try {
    readScanner(JSON.parse(settings));
    return settings;
  } catch (error) {
    if (error instanceof Problem) return refuse(at, "must be the settings of a link scanner");
    throw error;
  }
};
