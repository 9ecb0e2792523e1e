/** Sending of mail: quota, storage in one transaction, notification, outbox. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { notFound, Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Marks } from "../../core/marks.ts";
import type { Direction, ProviderOrigin } from "../../core/message.ts";
import type { MessageIdentity } from "../../store/mark-store.ts";
import type { NewOutboxEntry } from "../../store/outbox-store.ts";
import type { IdempotentRequest } from "../../store/permission-stores.ts";
import type { NewMessage } from "../../store/store.ts";
import { type RoutedRecipient, routeRecipients, type SentRecipients } from "./allowed-recipients.ts";
import { requestWaitMsMax } from "../services/limits/mail-admission.ts";
import type { Context } from "../context.ts";
import { outboundOf } from "../services/sending/new-mail.ts";
import type { EmailContent } from "../services/reading/email-bodies.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import type { IdempotencyTicket } from "../services/sending/idempotency.ts";
import { reparseMark, storeMessages } from "../inbound/store-messages.ts";

/** Mail that a server sends. */
export interface OutgoingMail {
  readonly server: ServerId;
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
  /** Recipients with the routes of {@link routeRecipients}. */
  readonly recipients: readonly RoutedRecipient[];
  readonly raw: Uint8Array;
  readonly ticket: IdempotencyTicket | null;
  /** Encoded transcript of the request, which is stored with the sent message; none when absent. */
  readonly transcript?: string | undefined;
}

/** Mail that is stored without being sent. */
export interface PlacedMail extends Pick<OutgoingMail, "server" | "raw" | "ticket" | "transcript"> {
  /** `Received` by default. */
  readonly direction?: Direction;
  readonly marks?: Marks;
  /** Returns the facts of the provider's API through which the message came; none by default. */
  readonly originOf?: (id: MessageId) => ProviderOrigin;
}

/** Records and outbox entries of an outgoing mail, with the sent message first. */
interface Batch {
  readonly records: readonly [NewMessage, ...NewMessage[]];
  readonly entries: readonly NewOutboxEntry[];
}

/** Returns the distinct recipients with their routes. Rejects as {@link routeRecipients} does. */
export async function openRecipients(
  context: Context,
  principal: Principal,
  { server, recipients }: SentRecipients,
): Promise<readonly RoutedRecipient[]> {
  const known = new Set<string>();
  const unique = recipients.filter(({ address }) => known.size < known.add(address.toLowerCase()).size);
  return routeRecipients(context, principal, { server, recipients: unique });
}

/**
 * Stores the sent message and, in the same transaction, the received messages of own servers and the outbox entries. Stores
 * nothing and rejects with `too_many_requests` past the outbound limit, with `limit_reached` when the daily limit is
 * reached, with `message_too_large`, with `unavailable` or `too_many_requests` when it is not admitted within 30 seconds,
 * with `not_found` when the server was deleted.
 */
export async function sendMail(context: Context, mail: OutgoingMail): Promise<MessageId> {
  checkSize(context, mail.raw);
  const inside = mail.recipients.flatMap((one) => (one.route === "inside" ? [one.server] : []));
  return admitted(context, mail, () =>
    context.quotas.spend("email", 1 + new Set(inside).size, () => storeSent(context, mail)),
  );
}

async function storeSent(context: Context, mail: OutgoingMail): Promise<MessageId> {
  const content = await context.readEmail(mail.raw, mail.server);
  const relayed = mail.recipients.filter(({ route }) => route === "relay");
  const { outcomes, stored } = await storeMessages(context, () => {
    const { records, entries } = batchOf(context, mail, content);
    const companions = { ...outboundOf(context, entries), ...reparseMark(content, context.clock.now()) };
    return { records, options: { ...companions, repeatable: repeatableOf(mail, records[0].id) } };
  });
  const [sent] = stored;
  if (outcomes[0]?.outcome !== "stored" || sent === undefined) throw notFound("Server");
  if (relayed.length > 0) context.wakeOutbox();
  return sent.id;
}

function repeatableOf({ ticket }: Pick<PlacedMail, "ticket">, message: MessageId): IdempotentRequest | null {
  return ticket === null ? null : { ...ticket, message };
}

/** Stores a mail as received, without an SMTP session. Rejects as {@link sendMail} does. */
export async function placeMail(context: Context, mail: PlacedMail): Promise<MessageId> {
  return (await storeMail(context, mail)).id;
}

/** Stores a mail in a direction of a server, and sends it to nobody. Rejects as {@link sendMail} does. */
export async function storeMail(context: Context, mail: PlacedMail): Promise<MessageIdentity> {
  checkSize(context, mail.raw);
  return await admitted(context, mail, () => context.quotas.spend("email", 1, () => storePlaced(context, mail)));
}

/** Runs `action` when the mail is admitted; waits for 30 seconds at most. */
async function admitted<Result>(
  { admission }: Context,
  { raw, server }: Pick<PlacedMail, "raw" | "server">,
  action: () => Promise<Result>,
): Promise<Result> {
  const release = await admission.admit(raw.byteLength, server, requestWaitMsMax);
  try {
    return await action();
  } finally {
    release?.();
  }
}

async function storePlaced(context: Context, mail: PlacedMail): Promise<MessageIdentity> {
  const content = await context.readEmail(mail.raw, mail.server);
  const { stored, outcomes } = await storeMessages(context, () => {
    const { id } = context.ids.next(mail.server, mail.direction ?? "Received");
    const envelope = { mailFrom: null, rcptTo: [] };
    const { raw, transcript, marks, originOf } = mail;
    const origin = originOf && { provider: originOf(id) };
    const record = recordEmail(id, { raw, envelope, session: null, transcript, ...origin }, content);
    const options = { ...reparseMark(content, context.clock.now()), repeatable: repeatableOf(mail, id) };
    return { records: [marks === undefined ? record : { ...record, marks }], options };
  });
  const [record] = stored;
  const [outcome] = outcomes;
  if (record === undefined || outcome?.outcome !== "stored") throw notFound("Server");
  return { id: record.id, sequence: outcome.sequence };
}

function batchOf(context: Context, mail: OutgoingMail, content: EmailContent): Batch {
  const { server, mailFrom, recipients, raw } = mail;
  const { id } = context.ids.next(server, "Sent");
  const record = (own: MessageId, rcptTo: readonly string[], transcript?: string): NewMessage =>
    recordEmail(own, { raw, envelope: { mailFrom, rcptTo }, session: null, transcript }, content);
  const inside = Map.groupBy(
    recipients.filter((one) => one.route === "inside"),
    (one) => one.server,
  );
  const received = Array.from(inside, ([own, group]) =>
    record(context.ids.next(own, "Received").id, addressesOf(group)),
  );
  return {
    records: [record(id, addressesOf(recipients), mail.transcript), ...received],
    entries: recipients.map((recipient) => entryOf(context, { mail, message: id, recipient })),
  };
}

/** Returns the outbox entry of a recipient; deliveries that do not leave are complete with the transaction. */
function entryOf(
  context: Context,
  one: { mail: OutgoingMail; message: MessageId; recipient: RoutedRecipient },
): NewOutboxEntry {
  const { route, address } = one.recipient;
  return {
    id: randomUUID(),
    message: one.message,
    // The delivery to the application is a callback of its own.
    route: route === "inbound" ? "inside" : route,
    mailFrom: one.mail.mailFrom,
    rcptTo: [address],
    content: null,
    status: route === "relay" ? "Queued" : "Sent",
    lastError: null,
    at: context.clock.now(),
  };
}

function addressesOf(recipients: readonly RoutedRecipient[]): readonly string[] {
  return recipients.map(({ address }) => address);
}

function checkSize(context: Context, raw: Uint8Array): void {
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
}
