/** The way of every mail that a server sends: policy, quota, one transaction, the news of it, the outbox. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../../core/api-key.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { NewOutboxEntry } from "../../../store/outbox-store.ts";
import type { NewMessage, Stored } from "../../../store/store.ts";
import { routeRecipients, type Recipient, type RoutedRecipient } from "./allowed-recipients.ts";
import { announce } from "../events/announce.ts";
import type { CallerPresence } from "../security/caller-of.ts";
import type { Context } from "../../context.ts";
import { outboundOf } from "./outbound.ts";
import type { EmailContent } from "../reading/email-content.ts";
import { recordEmail } from "../reading/email-record.ts";
import type { IdempotencyTicket } from "./idempotency.ts";
import { rereadMark } from "../../inbound/reread-mails.ts";

/** What sending needs. */
export type SendingDependencies = CallerPresence &
  Pick<
    Context,
    | "store"
    | "clock"
    | "ids"
    | "limits"
    | "events"
    | "settings"
    | "bodies"
    | "inspector"
    | "readEmail"
    | "admission"
    | "quotas"
    | "repeats"
    | "secrets"
    | "wakeOutbox"
  >;

/** A mail that a server is to send. */
export interface OutgoingMail {
  readonly server: ServerId;
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
  /** As {@link routeRecipients} decided. */
  readonly recipients: readonly RoutedRecipient[];
  readonly raw: Uint8Array;
  readonly ticket: IdempotencyTicket | null;
}

/** A mail that is put into a server. */
interface PlacedMail {
  readonly server: ServerId;
  readonly raw: Uint8Array;
  readonly ticket: IdempotencyTicket | null;
}

/** What is stored of an outgoing mail at once: the sent message first. */
interface Batch {
  readonly records: readonly [NewMessage, ...NewMessage[]];
  readonly entries: readonly NewOutboxEntry[];
}

/** Longest wait of an HTTP request for the memory that reading and storing its mail takes. */
const admissionWaitMsMax = 10_000;

/** The recipients with their routes, each address once; rejects as {@link routeRecipients} does, and without any. */
export async function openRecipients(
  context: SendingDependencies,
  principal: Principal,
  recipients: readonly Recipient[],
): Promise<readonly RoutedRecipient[]> {
  const known = new Set<string>();
  const unique = recipients.filter(({ address }) => known.size < known.add(address.toLowerCase()).size);
  return routeRecipients(context, principal, unique);
}

/**
 * Stores the sent message; in the same transaction, what stays inside is received by its servers and what leaves is put
 * into the outbox. Rejects with `too_many_requests` when too much leaves, with `limit_reached` when
 * the day's mails are used up, with `message_too_large`, with `unavailable` or `too_many_requests` when there is no memory
 * for it within 10 seconds, with `not_found` when the server is gone; nothing is stored then.
 */
export async function sendMail(context: SendingDependencies, mail: OutgoingMail): Promise<MessageId> {
  checkSize(context, mail.raw);
  const inside = mail.recipients.flatMap((one) => (one.route === "inside" ? [one.server] : []));
  return admitted(context, mail, () =>
    context.quotas.spend("email", 1 + new Set(inside).size, () => storeSent(context, mail)),
  );
}

async function storeSent(context: SendingDependencies, mail: OutgoingMail): Promise<MessageId> {
  const content = await context.readEmail(mail.raw, mail.server);
  const leaving = mail.recipients.filter(({ route }) => route === "relay");
  for (;;) {
    const batch = batchOf(context, mail, content);
    const [sent] = batch.records;
    const repeatable = mail.ticket === null ? null : { ...mail.ticket, message: sent.id };
    const outcomes = await context.store.addMessages(batch.records, {
      ...outboundOf(context, batch.entries),
      ...rereadMark(content, context.clock.now()),
      repeatable,
    });
    if (outcomes.some((one) => one.outcome === "collision")) continue;
    if (outcomes[0]?.outcome !== "stored") throw notFound("Server");
    announce(context, batch.records, outcomes);
    if (leaving.length > 0) context.wakeOutbox();
    return sent.id;
  }
}

/** Stores a mail as received by a server though no session brought it; rejects as {@link sendMail} does. */
export async function placeMail(context: SendingDependencies, mail: PlacedMail): Promise<MessageId> {
  checkSize(context, mail.raw);
  return admitted(context, mail, () => context.quotas.spend("email", 1, () => storePlaced(context, mail)));
}

/** Runs `action` when there is memory for the mail: HTTP clients wait for 10 seconds at most. */
async function admitted<Result>(
  { admission }: Pick<SendingDependencies, "admission">,
  { raw, server }: Pick<PlacedMail, "raw" | "server">,
  action: () => Promise<Result>,
): Promise<Result> {
  const release = await admission.admit(raw.byteLength, server, admissionWaitMsMax);
  try {
    return await action();
  } finally {
    release?.();
  }
}

async function storePlaced(context: SendingDependencies, mail: PlacedMail): Promise<MessageId> {
  const content = await context.readEmail(mail.raw, mail.server);
  for (;;) {
    const { id } = context.ids.next(mail.server, "Received");
    const envelope = { mailFrom: null, rcptTo: [] };
    const record = recordEmail(id, { raw: mail.raw, envelope, session: null }, content);
    const repeatable = mail.ticket === null ? null : { ...mail.ticket, message: id };
    const outcomes: readonly Stored[] = await context.store.addMessages([record], {
      ...rereadMark(content, context.clock.now()),
      repeatable,
    });
    if (outcomes[0]?.outcome === "collision") continue;
    if (outcomes[0]?.outcome !== "stored") throw notFound("Server");
    announce(context, [record], outcomes);
    return id;
  }
}

function batchOf(context: SendingDependencies, mail: OutgoingMail, content: EmailContent): Batch {
  const { server, mailFrom, recipients, raw } = mail;
  const { id } = context.ids.next(server, "Sent");
  const record = (own: MessageId, rcptTo: readonly string[]): NewMessage =>
    recordEmail(own, { raw, envelope: { mailFrom, rcptTo }, session: null }, content);
  const inside = Map.groupBy(
    recipients.filter((one) => one.route === "inside"),
    (one) => one.server,
  );
  const received = Array.from(inside, ([own, group]) =>
    record(context.ids.next(own, "Received").id, addressesOf(group)),
  );
  return {
    records: [record(id, addressesOf(recipients)), ...received],
    entries: recipients.map((recipient) => entryOf(context, { mail, message: id, recipient })),
  };
}

/** What stays inside has arrived with this very transaction. */
function entryOf(
  context: SendingDependencies,
  one: { mail: OutgoingMail; message: MessageId; recipient: RoutedRecipient },
): NewOutboxEntry {
  const { route, address } = one.recipient;
  return {
    id: randomUUID(),
    message: one.message,
    route,
    mailFrom: one.mail.mailFrom,
    rcptTo: [address],
    content: null,
    status: route === "inside" ? "Sent" : "Queued",
    lastError: null,
    at: context.clock.now(),
  };
}

function addressesOf(recipients: readonly RoutedRecipient[]): readonly string[] {
  return recipients.map(({ address }) => address);
}

function checkSize(context: Pick<Context, "limits">, raw: Uint8Array): void {
  if (raw.byteLength > context.limits.messageBytesMax) throw new Problem("message_too_large");
}
