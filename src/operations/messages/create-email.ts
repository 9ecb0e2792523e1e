import type { Context } from "../context.ts";
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { checkAll, FieldCollector } from "../../core/field-collector.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { RequestTranscript } from "../../core/transcript.ts";
import { composeMail, composeSample } from "../../mime/compose/compose.ts";
import { openServer } from "../services/security/access.ts";
import { readAddress, type Recipient } from "../sending/allowed-recipients.ts";
import { domainOf, newStamp, randomAddress, type EmailFields, readAttachments } from "../services/sending/new-mail.ts";
import { type OpenedMessage as SentMessage, openMessage as openSent } from "../services/reading/get-message.ts";
import { type IdempotencyTicket, runOnce, scopeOf } from "../services/sending/idempotency.ts";
import { openRecipients, placeMail, sendMail } from "../sending/send-mail.ts";

/** Request to create a mail. */
export interface EmailRequest {
  readonly server: string;
  readonly fields: EmailFields;
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
  /** Transcript of the request, which is stored with the mail; none when absent. */
  readonly transcript?: RequestTranscript;
}

/** Mail to create. */
interface NewEmail {
  readonly server: ServerId;
  readonly fields: EmailFields;
  readonly ticket: IdempotencyTicket | null;
  readonly transcript: string | undefined;
}

/**
 * Creates a mail in a server, and sends it if requested; without fields it is a sample mail. Rejects with `not_found`,
 * with a 400 that names every wrong field, and as {@link sendMail} and {@link runOnce} do.
 */
export async function createEmail(context: Context, principal: Principal, request: EmailRequest): Promise<SentMessage> {
  const server = (await openServer(context, principal, request.server)).id;
  const { fields, repeatKey } = request;
  const repeat = { scope: scopeOf(principal, "create"), key: repeatKey, content: [server, fields] };
  const transcript = request.transcript?.encode({ count: 1, isOwn: true, hits: [] });
  const id = await runOnce(context, repeat, async (ticket) => {
    const mail = { server, fields, ticket, transcript };
    return fields.send === true ? sendNew(context, principal, mail) : placeNew(context, mail);
  });
  return openSent(context, principal, id);
}

async function sendNew(
  context: Context,
  principal: Principal,
  { server, fields, ticket, transcript }: NewEmail,
): Promise<MessageId> {
  const parts = readParts(context, server, fields);
  const recipients = await openRecipients(context, principal, { server, recipients: parts.recipients });
  const raw = await composeNew(context, server, { ...fields, parts });
  return sendMail(context, { server, mailFrom: parts.from, recipients, raw, ticket, transcript });
}

/** Decoded fields of a new mail that can be wrong. */
interface MailParts {
  readonly from: string;
  readonly recipients: readonly Recipient[];
  readonly attachments: ReturnType<typeof readAttachments>;
}

/** Throws a 400 that names every wrong field except `from`, whose domain depends on the server. */
export function checkEmailFields(context: Context, fields: EmailFields): void {
  checkAll(
    () => (fields.send === true ? requireRecipient(fields.to) : undefined),
    () => readRecipients(fields),
    () => readAttachments(fields.attachments ?? [], context.limits),
  );
}

/** Decodes sender, recipients and attachments; throws a 400 that names every wrong field. */
function readParts(context: Context, server: ServerId, fields: EmailFields): MailParts {
  const errors = new FieldCollector();
  if (fields.send === true) errors.collect(() => requireRecipient(fields.to));
  const from = errors.collect(() => senderOf(context, server, fields.from)) ?? "";
  const recipients = errors.collect(() => readRecipients(fields)) ?? [];
  const attachments = errors.collect(() => readAttachments(fields.attachments ?? [], context.limits)) ?? [];
  errors.finish();
  return { from, recipients, attachments };
}

function requireRecipient(to: string | undefined): void {
  if (to === undefined) throw invalidField("to", "A mail that is sent needs a recipient", "required");
}

/** Decodes the recipients in the policy's form; throws a 400 that names every wrong field. */
export function readRecipients({ to, cc }: Pick<EmailFields, "to" | "cc">): readonly Recipient[] {
  const errors = new FieldCollector();
  const recipients = Object.entries({ to, cc }).flatMap(([field, text]) => {
    const address = text === undefined ? undefined : errors.collect(() => readAddress(field, text));
    return address === undefined ? [] : [{ field, address }];
  });
  errors.finish();
  return recipients;
}

async function placeNew(context: Context, { server, fields, ticket, transcript }: NewEmail): Promise<MessageId> {
  const isSample = Object.keys(fields).every((name) => name === "send");
  const raw = isSample
    ? await composeSampleOf(context, server)
    : await composeNew(context, server, { ...fields, parts: readParts(context, server, fields) });
  return placeMail(context, { server, ticket, raw, transcript });
}

async function composeNew(
  context: Context,
  server: ServerId,
  { to, subject, text, html, parts }: EmailFields & { readonly parts: MailParts },
): Promise<Uint8Array> {
  const mailboxes = (field: string): { address: string }[] =>
    parts.recipients.filter((one) => one.field === field).map(({ address }) => ({ address }));
  return composeMail({
    ...newStamp(context, domainOf(context, server)),
    from: { address: parts.from },
    to: to === undefined ? [{ address: randomAddress(context, server) }] : mailboxes("to"),
    cc: mailboxes("cc"),
    subject: subject ?? "",
    text: text ?? null,
    html: html ?? null,
    attachments: parts.attachments,
  });
}

async function composeSampleOf(context: Context, server: ServerId): Promise<Uint8Array> {
  const domain = domainOf(context, server);
  const senderToken = randomBytes(6).toString("hex");
  return composeSample({ ...newStamp(context, domain), to: `sample@${domain}`, senderToken });
}

/** Returns the sender, which must be an address of the server; throws a 400 on `from`. */
function senderOf(context: Context, server: ServerId, from: string | undefined): string {
  if (from === undefined) return randomAddress(context, server);
  const address = readAddress("from", from);
  const domain = domainOf(context, server);
  if (address.endsWith(`@${domain}`)) return address;
  throw invalidField("from", `Must be an address of the server: anything@${domain}`, "foreign_domain");
}
