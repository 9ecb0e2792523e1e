import { randomBytes, randomUUID } from "node:crypto";
import type { ServerId } from "../../../core/ids.ts";
import type { Stamp, ComposedAttachment } from "../../../mime/compose/compose.ts";
import type { NewOutboxEntry, OutboundEntries } from "../../../store/outbox-store.ts";
import type { Context } from "../../context.ts";
import { invalidField } from "../../../core/errors.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { build, type ValueOf } from "../../../core/schema.ts";
import { emailAddress } from "../../../core/text-schemas.ts";
import type { Limits } from "../../../core/limits.ts";
import { decodeStrictBase64 } from "../../../core/text-encodings.ts";

/** Returns the mail domain of a server. */
export function domainOf(context: Context, server: ServerId): string {
  return `${server}.${context.settings.mailDomain}`;
}

/** Returns a random address of the server. */
export function randomAddress(context: Context, server: ServerId): string {
  return `${randomBytes(5).toString("hex")}@${domainOf(context, server)}`;
}

/** Returns Message-ID, date and boundary seed of a new mail from a domain. */
export function newStamp(context: Context, domain: string): Stamp {
  return { messageId: `<${randomUUID()}@${domain}>`, date: context.clock.now(), boundarySeed: randomUUID() };
}

/** Returns the outbox entries with the hourly outbound limit, which the store enforces. */
export function outboundOf({ clock, limits }: Context, entries: readonly NewOutboxEntry[]): OutboundEntries {
  return { entries, allowance: { countMax: limits.outboundCountPerHourMax, now: clock.now() } };
}

// Requests that compose mail.

const bodies = { text: build.string("Plain text."), html: build.string("HTML, unchanged.") };

const newAttachmentSchema = build.partial({
  fileName: build.string(),
  contentType: build.string(),
  content: build.string({ format: "byte", contentEncoding: "base64", description: "Base64." }),
  contentId: build.string("Content-ID by which the HTML refers to the file, as `cid:`."),
});

const newAttachments = build.array(newAttachmentSchema);

/** Request body that creates a mail. */
export const emailFieldsSchema = build.partial({
  to: emailAddress("One address; required where `send` is true."),
  cc: emailAddress("One address."),
  from: emailAddress("An address of the server; a generated one when absent."),
  subject: build.string(),
  ...bodies,
  send: build.boolean("Whether to send the mail."),
  attachments: newAttachments,
});

/** Fields of a new mail; the server receives a mail that is not sent. */
export type EmailFields = ValueOf<typeof emailFieldsSchema>;

/** Request body that forwards a mail. */
export const forwardFieldsSchema = build.partial({
  to: emailAddress("One address; required."),
  cc: emailAddress("One address."),
  ...bodies,
});

/** Fields of a forward; texts are inserted before the original. */
export type ForwardFields = ValueOf<typeof forwardFieldsSchema>;

/** Request body that replies to a message. */
export const replyFieldsSchema = build.partial({
  cc: emailAddress("One address."),
  ...bodies,
  attachments: newAttachments,
});

/** Fields of a reply; texts are inserted before the quoted original. */
export type ReplyFields = ValueOf<typeof replyFieldsSchema>;

/** Parts of a composed mail beside its attachments: mixed, alternative, related, text, HTML. */
const otherPartCountMax = 5;

/** Decodes attachments; throws a 400 that names every wrong field, for too many or invalid base64. */
export function readAttachments(
  attachments: NonNullable<EmailFields["attachments"]>,
  limits: Pick<Limits, "partCountMax">,
): readonly ComposedAttachment[] {
  const countMax = Math.max(0, limits.partCountMax - otherPartCountMax);
  if (attachments.length > countMax) {
    throw invalidField("attachments", `At most ${String(countMax)} attachments`, "too_many");
  }
  const errors = new FieldCollector();
  const read = attachments.map(({ fileName, contentType, content = "", contentId }, position) => ({
    fileName: fileName ?? null,
    contentType: contentType ?? "application/octet-stream",
    content: errors.collect(() => decode(`attachments[${String(position)}].content`, content)) ?? new Uint8Array(),
    contentId: contentId ?? null,
    isInline: contentId !== undefined,
  }));
  errors.finish();
  return read;
}

function decode(field: string, written: string): Uint8Array {
  const text = /\s/.test(written) ? written.replaceAll(/\s+/g, "") : written;
  const bytes = decodeStrictBase64(text);
  if (bytes === null) throw invalidField(field, "Must be base64 with its padding", "invalid_base64");
  return bytes;
}
