import type { Context } from "../context.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { checkAll, FieldCollector } from "../../core/field-collector.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Mailbox } from "../../mime/compose/address-field.ts";
import type { Forward, Reply } from "../../mime/compose/compose-reply.ts";
import { readAddress, type Recipient } from "../sending/allowed-recipients.ts";
import { openSmsAnswering } from "../callbacks/event-subscribers.ts";
import { openRecipients, sendMail } from "../sending/send-mail.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import {
  domainOf,
  type ForwardFields,
  newStamp,
  randomAddress,
  readAttachments,
  type ReplyFields,
} from "../services/sending/new-mail.ts";
import { type IdempotencyTicket, runOnce, scopeOf } from "../services/sending/idempotency.ts";
import {
  composeFromOpened,
  findReplyRecipients,
  type OpenedMessage,
  openMessage,
  ownAddressOf,
} from "../services/sending/open-original.ts";
import { replyBySms } from "../sms/reply-by-sms.ts";
import { readRecipients } from "./create-email.ts";
import { type OpenedMessage as SentMessage, openMessage as openSent } from "../services/reading/get-message.ts";

/** Request to reply to a message. */
interface ReplyRequest {
  readonly id: string;
  readonly fields: ReplyFields;
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/**
 * Replies to a message: to an SMS as `replyBySms` does, to a mail at its Reply-To or From, from the address it was sent to.
 * Rejects with `not_found`, with a 400 that names every wrong field (`to` when mail may not go to the sender), and as `sendMail` and `runOnce` do.
 */
export async function replyToMessage(
  context: Context,
  principal: Principal,
  request: ReplyRequest,
): Promise<SentMessage> {
  const opened = await openMessage(context, principal, request.id);
  const { fields, repeatKey } = request;
  const repeat = { scope: scopeOf(principal, "reply"), key: repeatKey, content: [opened.id, fields] };
  const id = await runOnce(context, repeat, async (ticket) =>
    opened.message.type === "SMS"
      ? replyBySms(context, opened, { fields, ticket, answering: await openSmsAnswering(context, opened) })
      : replyByMail(context, opened, { principal, fields, ticket }),
  );
  return openSent(context, principal, id);
}

async function replyByMail(
  context: Context,
  opened: OpenedMessage,
  { principal, fields, ticket }: { principal: Principal; fields: ReplyFields; ticket: IdempotencyTicket | null },
): Promise<MessageId> {
  const senders = await findReplyRecipients(context, opened, principal);
  const { answered, copied, attachments } = readParts(context, fields, senders);
  const recipients = await openRecipients(context, principal, {
    server: opened.server,
    recipients: [...answered, ...copied],
  });
  const from = ownAddressOf(context, opened);
  const mail: Reply = {
    ...newStamp(context, domainOf(context, opened.server)),
    from: { address: from },
    cc: copied.map(({ address }) => ({ address })),
    text: fields.text ?? null,
    html: fields.html ?? null,
    attachments,
  };
  const raw = await composeFromOpened(context, opened, { principal, composition: { form: "reply", mail } });
  return sendMail(context, { server: opened.server, mailFrom: from, recipients, raw, ticket });
}

/** Decoded fields of a reply that can be wrong. */
interface ReplyParts {
  readonly answered: readonly Recipient[];
  readonly copied: readonly Recipient[];
  readonly attachments: ReturnType<typeof readAttachments>;
}

/** Throws a 400 that names every wrong field. */
export function checkReplyFields(context: Context, fields: ReplyFields): void {
  checkAll(
    () => readRecipients({ ...(fields.cc !== undefined && { cc: fields.cc }) }),
    () => readAttachments(fields.attachments ?? [], context.limits),
  );
}

/** Decodes recipients and attachments; throws a 400 that names every wrong field. */
function readParts(context: Context, fields: ReplyFields, senders: readonly Mailbox[]): ReplyParts {
  const errors = new FieldCollector();
  const answered = errors.collect(() => readSenders(senders)) ?? [];
  const copied = errors.collect(() => readRecipients({ ...(fields.cc !== undefined && { cc: fields.cc }) })) ?? [];
  const attachments = errors.collect(() => readAttachments(fields.attachments ?? [], context.limits)) ?? [];
  errors.finish();
  return { answered, copied, attachments };
}

function readSenders(senders: readonly Mailbox[]): readonly Recipient[] {
  if (senders.length === 0) throw invalidField("to", "The original names no address to reply to", "required");
  return senders.map(({ address }) => ({ field: "to", address: readAddress("to", address) }));
}

/** Request to forward a message. */
interface ForwardRequest {
  readonly id: string;
  readonly fields: ForwardFields;
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/** Decodes the recipients; throws a 400 that names every wrong field. */
export function readForwardRecipients(fields: ForwardFields): readonly Recipient[] {
  const errors = new FieldCollector();
  if (fields.to === undefined) {
    errors.add({ field: "to", description: "A forward needs a recipient", code: "required" });
  }
  const recipients = errors.collect(() => readRecipients(fields)) ?? [];
  errors.finish();
  return recipients;
}

/**
 * Forwards a mail with its attachments, from an address of its server. Rejects with `not_found`, with a 400 that names
 * every wrong field, and as `sendMail` and `runOnce` do.
 */
export async function forwardMessage(
  context: Context,
  principal: Principal,
  request: ForwardRequest,
): Promise<SentMessage> {
  const opened = await openMessage(context, principal, request.id);
  const { fields, repeatKey } = request;
  const repeat = { scope: scopeOf(principal, "forward"), key: repeatKey, content: [opened.id, fields] };
  const id = await runOnce(context, repeat, async (ticket) => {
    if (opened.message.type !== "Email") throw invalidField("id", "Only mail can be forwarded", "not_email");
    const recipients = await openRecipients(context, principal, {
      server: opened.server,
      recipients: readForwardRecipients(fields),
    });
    const from = randomAddress(context, opened.server);
    const named = (field: string): { address: string }[] =>
      readRecipients(fields).flatMap((one) => (one.field === field ? [{ address: one.address }] : []));
    const mail: Forward = {
      ...newStamp(context, domainOf(context, opened.server)),
      from: { address: from },
      to: named("to"),
      cc: named("cc"),
      text: fields.text ?? null,
      html: fields.html ?? null,
    };
    const raw = await composeFromOpened(context, opened, { principal, composition: { form: "forward", mail } });
    return sendMail(context, { server: opened.server, mailFrom: from, recipients, raw, ticket });
  });
  return openSent(context, principal, id);
}

/** Recipients of a release. */
const releaseRecipientCountMax = 20;

/** Request to release a mail. */
interface ReleaseRequest {
  readonly id: string;
  /** Plain addresses; at least one. */
  readonly to: readonly string[];
  /** `Idempotency-Key`; null for none. */
  readonly repeatKey: string | null;
}

/** Returns the recipients of a release; throws a 400 on `to`. */
export function readReleaseRecipients({ to = [] }: { readonly to?: readonly string[] }): readonly Recipient[] {
  if (to.length === 0) throw invalidField("to", "Give at least one address", "required");
  if (to.length > releaseRecipientCountMax) {
    throw invalidField("to", `Must have at most ${releaseRecipientCountMax} elements`, "out_of_range");
  }
  return to.map((address) => ({ field: "to", address: readAddress("to", address) }));
}

/**
 * Sends a mail as it was received, with all its header fields, from an address of its server to verified recipients; returns
 * the sent message. Rejects with `not_found`, with a 400 on `to` or `id`, and as `sendMail` and `runOnce` do.
 */
export async function releaseMessage(
  context: Context,
  principal: Principal,
  { id: idText, to, repeatKey }: ReleaseRequest,
): Promise<SentMessage> {
  const original = openMessageId(principal, idText);
  const raw = orNotFound(await context.store.getRaw(original), "Message");
  if (raw.byteLength === 0) throw invalidField("id", "Only mail can be released", "not_email");
  const { server } = decodeMessageId(original);
  const repeat = { scope: scopeOf(principal, "release"), key: repeatKey, content: [original, to] };
  const id = await runOnce(context, repeat, async (ticket) => {
    const recipients = await openRecipients(context, principal, { server, recipients: readReleaseRecipients({ to }) });
    const mailFrom = randomAddress(context, server);
    return sendMail(context, { server, mailFrom, recipients, raw, ticket });
  });
  return openSent(context, principal, id);
}
