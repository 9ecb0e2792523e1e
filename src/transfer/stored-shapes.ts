/** Shapes of a message in an export, strict enough that every stored message can be served. */
import { attachmentIdAt, attachmentsPerMessageMax, decodeMessageId } from "../core/ids.ts";
import type { MessageId } from "../core/ids.ts";
import { storedMessageSchema, type Summary, summarySchema } from "../core/message.ts";
import { annotationBytesMax, markHidingReaderCountMax, markTagCountMax } from "../core/limits.ts";
import { messageFlags, readTag, type StoredMarks } from "../core/marks.ts";
import { sessionSchema } from "../core/smtp-session.ts";
import type { MessageToRestore } from "../operations/services/reading/restore-message.ts";
import type { StoredDetail, StoredExcerpt } from "../operations/services/reading/stored-detail.ts";
import {
  amount,
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
  shapeOf,
  text,
} from "./shape.ts";
import { Problem } from "../core/errors.ts";
import { readScanner } from "../operations/scanner/scanner-settings.ts";
import { type Annotation, annotationKinds } from "../store/mark-store.ts";
import { smsProviders } from "../providers/registry.ts";

/** Compared with the content of the id, see {@link checkStored}. */
const messageIdText = text as Shape<never>;

/** Summary in lists. */
export const summaryShape: Shape<Summary> = shapeOf(summarySchema);

const place = {
  bodyStart: count,
  bodyEnd: count,
  transferEncoding: oneOf(["identity", "base64", "quoted-printable", "uuencode"]),
} as const;
/** Returns the shape of a member that an import also accepts without. */
const dispensable = <Value>(shape: Shape<Value>): Shape<Value> => optional(shape);
const partText = record({
  ...place,
  charset: nullable(text),
  flow: oneOf(["fixed", "flowed", "flowed-delsp"]),
});

/** Parsed content that is stored besides the raw bytes; the excerpt is computed again. */
export const detailShape: Shape<StoredDetail & { readonly glance?: StoredExcerpt }> = record({
  glance: optional(
    record({
      codes: nullable(list(text)),
      sizeBytes: amount,
      inline: dispensable(amount),
      files: dispensable(list(text)),
      tags: dispensable(list(text)),
    }),
  ),
  message: shapeOf(storedMessageSchema),
  htmlParts: list(partText),
  textParts: list(partText),
  parts: list(record({ ...place, isInline: dispensable(flag) })),
  session: nullable(shapeOf(sessionSchema)),
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
export const marksShape: Shape<StoredMarks> = record({
  flags: list(oneOf(messageFlags)),
  tags: tagList,
  hiddenFrom: optional(readerList),
});

/** Shape of an annotation of a message. */
export const annotationShape: Shape<Annotation> = record({
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
