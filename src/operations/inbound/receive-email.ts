import type { Arrival } from "../../core/smtp-session.ts";
import { Problem } from "../../core/errors.ts";
import type { LateDelivery } from "../../core/fault.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SpanStart } from "../../core/tracing.ts";
import type { Context } from "../context.ts";
import { holdDelays, type HoldDelays } from "../scanner/scan-before-arrival.ts";
import { holdCopies, type HeldContent, type HeldCopies } from "./held-messages.ts";
import { type ReceivedMail, recordEmail } from "../services/reading/email-record.ts";
import { type MessageBatch, reparseMark, type StoredBatch, storeMessages } from "./store-messages.ts";

/**
 * Stores a mail once in each server of its recipients, in one transaction, and notifies waiters; holds the copies of servers
 * to which it is delivered later, or whose scanner works before. Resolves after the commit with the ids, in the order of the servers' first recipients,
 * then those of held copies (see `holdMessage`). Rejects with the store's problems, with `limit_reached` when
 * the daily limit is reached, with `quota_exceeded` when one of the servers is full, and with `recipient_unknown` when none
 * of the servers exists any more.
 */
export async function receiveEmail(context: Context, arrival: Arrival): Promise<readonly MessageId[]> {
  const servers = [...new Set(arrival.recipients.map((recipient) => recipient.server))];
  return context.quotas.spend("email", servers.length, async () => {
    const late = arrival.late === undefined ? notLate : lateServers(arrival.late);
    const delays = await holdDelays(context.store, servers, late);
    if (delays.delays.size === 0) return storeIn(context, arrival, servers);
    const { held, unheld } = await holdIn(context, arrival, delays);
    context.wakeScans();
    const now = servers.filter((server) => !delays.delays.has(server) || unheld.has(server));
    if (now.length === 0 && held.length > 0) return held;
    try {
      return [...(await storeIn(context, arrival, now)), ...held];
    } catch (error) {
      const isPartlyHeld = held.length > 0 && error instanceof Problem && error.code === "recipient_unknown";
      if (isPartlyHeld) return held;
      await context.store.scheduledMessages.withdrawHeldMessages(held);
      throw error;
    }
  });
}

const notLate: ReadonlyMap<ServerId, number> = new Map();

/** Returns the delay of each server; the first one counts. */
function lateServers(late: readonly LateDelivery[]): ReadonlyMap<ServerId, number> {
  return new Map(late.toReversed().map((one) => [one.server, one.deliverAfterMs]));
}

/** Holds the copies of servers to which the mail is delivered later, all or none; leaves out servers that do not exist. */
async function holdIn(context: Context, arrival: Arrival, delays: HoldDelays): Promise<HeldCopies> {
  const copies = [...delays.delays].flatMap(([server, delayMs]) => {
    const recipients = addressesIn(server, arrival);
    if (recipients.length === 0) return [];
    const compose = (heldId: MessageId): HeldContent => {
      const { raw, session, faults, transcript } = carriedTo(server, arrival, heldId);
      const facts = { session, faults, ...(transcript !== undefined && { transcript }) };
      const own = { copies: [{ server, recipients }], isComposed: false };
      return { raw, content: { origin: null, mailFrom: arrival.mailFrom, ...own, ...facts } };
    };
    return [{ server, delayMs, compose }];
  });
  return holdCopies(context, copies, delays);
}

async function storeIn(
  context: Context,
  arrival: Arrival,
  servers: readonly ServerId[],
): Promise<readonly MessageId[]> {
  const wholeAt = context.timings.now();
  const result = await storeMessages(context, () => recordIn(context, arrival, servers));
  if (result.stored.length === 0) throw new Problem("recipient_unknown");
  noteTimes(context, wholeAt, result);
  return result.stored.map(({ id }) => id);
}

const reading: SpanStart = { name: "read mail" };

async function recordIn(context: Context, arrival: Arrival, servers: readonly ServerId[]): Promise<MessageBatch> {
  const content = await context.tracing.run(reading, async () => context.readEmail(arrival.raw, servers[0]));
  return {
    records: servers.map((server) => {
      const { id } = context.ids.next(server, "Received");
      return recordEmail(id, carriedTo(server, arrival, id), content);
    }),
    options: reparseMark(content, context.clock.now()),
  };
}

function noteTimes({ timings }: Context, wholeAt: number, { batch, outcomes }: StoredBatch<MessageBatch>): void {
  for (const [position, { id }] of batch.records.entries()) {
    const stored = outcomes[position];
    if (stored?.outcome !== "stored") continue;
    timings.stored({ id, server: decodeMessageId(id).server, sequence: stored.sequence, wholeAt });
  }
}

type CarriedMail = ReceivedMail & Required<Pick<ReceivedMail, "faults">> & Pick<Arrival, "session">;

/** Returns the mail with the envelope recipients of one server, whose message has the id. */
function carriedTo(server: ServerId, arrival: Arrival, id: MessageId): CarriedMail {
  const { raw, session, mailFrom, transcript, faults = [] } = arrival;
  const mail = { raw, session, envelope: { mailFrom, rcptTo: addressesIn(server, arrival) }, faults };
  return transcript === undefined ? mail : { ...mail, transcript: transcript(server, id) };
}

function addressesIn(server: ServerId, { recipients }: Arrival): readonly string[] {
  return recipients.filter((one) => one.server === server).map((one) => one.address);
}
