/** Arrival of scheduled and held messages. */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { DueMessage } from "../../store/scheduled-message-store.ts";
import type { InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../services/events/announce.ts";
import { recordHeldSms, recordMail, type ArrivingRecords } from "./arriving-records.ts";
import { scheduledContent, type ScheduledContent, type ServerRecipients } from "./scheduled-content.ts";

/** Dependencies of {@link arriveScheduled}. */
export type ArrivalContext = Pick<
  Context,
  "store" | "clock" | "ids" | "events" | "readEmail" | "admission" | "quotas" | "limits" | "wakeCallbacks"
>;

/** Outcome of one due message. */
export interface ArrivalOutcome {
  readonly id: MessageId;
  readonly attempts: number;
  /**
   * `arrived`; `dropped`: none of its servers exists, or every attempt has failed; `withdrawn`: cancelled or changed
   * meanwhile; `deleted`: removed with the content of its server; `postponed`: retried later.
   */
  readonly outcome: "arrived" | "dropped" | "withdrawn" | "deleted" | "postponed";
  /** Null unless the attempt failed. */
  readonly error: unknown;
}

/** Pauses after failed attempts in milliseconds; the last one is repeated. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;
/** Attempts after which a message is dropped: about two days. */
const attemptCountMax = 50;
const admissionWaitMsMax = 30_000;
/** Lease of a due message; longer than an arrival takes, with the wait for admission. */
const leaseMs = 300_000;
/** Messages that arrive at the same time. */
const batchCount = 20;
/** Scope of the records of arrivals, by which a repeat after a crash recognises that the message has arrived. */
const arrivalScope = "scheduled";

/**
 * Lets due messages arrive, at most 20, and returns their outcomes. Each arrives exactly once: the ids of its messages are
 * recorded before they are stored, and an attempt after a crash stores the same messages again, which has no effect.
 * `holder` is the id of this node, whose leases other nodes release when it is dead; null without other nodes.
 */
export async function arriveScheduled(
  context: ArrivalContext,
  holder: string | null = null,
): Promise<readonly ArrivalOutcome[]> {
  const now = context.clock.now();
  const lease = holder === null ? randomUUID() : `${holder}/${randomUUID()}`;
  const claim = { now, leasedUntil: now + leaseMs, lease, countMax: batchCount };
  const due = await context.store.scheduledMessages.claimScheduledMessages(claim);
  return Promise.all(due.map((one) => attempt(context, { due: one, lease })));
}

interface LeasedMessage {
  readonly due: DueMessage;
  readonly lease: string;
}

async function attempt(context: ArrivalContext, leased: LeasedMessage): Promise<ArrivalOutcome> {
  const { due, lease } = leased;
  const { id, attempts } = due;
  const { scheduledMessages } = context.store;
  try {
    const outcome = due.isDeleted ? "deleted" : await arrive(context, leased);
    if (outcome !== "withdrawn") await scheduledMessages.removeScheduledMessage(id, lease);
    return { id, attempts, outcome, error: null };
  } catch (error) {
    if (attempts >= attemptCountMax) {
      await scheduledMessages.removeScheduledMessage(id, lease);
      return { id, attempts, outcome: "dropped", error };
    }
    const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? pausesMs[0];
    await scheduledMessages.postponeArrival(id, lease, context.clock.now() + pauseMs);
    return { id, attempts, outcome: "postponed", error };
  }
}

async function arrive(
  context: ArrivalContext,
  { due, lease }: LeasedMessage,
): Promise<"arrived" | "dropped" | "withdrawn"> {
  const { store, admission, quotas } = context;
  if ((await store.idempotency.findIdempotentRequest(arrivalScope, due.id)) !== undefined) return "arrived";
  const content = scheduledContent(due);
  const copies: ServerRecipients[] = [];
  for (const copy of copiesOf(content, due)) if (await store.hasServer(copy.server)) copies.push(copy);
  const [first] = copies;
  if (first === undefined) return "dropped";
  const release = await admission.admit(copies.length * due.rawBytes, first.server, admissionWaitMsMax);
  try {
    const raw = await store.scheduledMessages.getScheduledRaw(due.id);
    if (raw === undefined) return "withdrawn";
    const arriving = { due, lease, raw, content, copies };
    if (due.acceptedAt !== null) return await insert(context, arriving);
    return await quotas.spend("email", copies.length, () => insert(context, arriving));
  } finally {
    release?.();
  }
}

function copiesOf(content: ScheduledContent, { id }: DueMessage): readonly ServerRecipients[] {
  return "sms" in content ? [{ server: decodeMessageId(id).server, recipients: [content.sms.to] }] : content.copies;
}

interface ArrivingMessage extends LeasedMessage {
  readonly raw: Uint8Array;
  readonly content: ScheduledContent;
  /** Copies of servers that exist. */
  readonly copies: readonly ServerRecipients[];
}

async function insert(
  context: ArrivalContext,
  arriving: ArrivingMessage,
): Promise<"arrived" | "dropped" | "withdrawn"> {
  const { due, lease, copies } = arriving;
  let { messages } = due;
  for (;;) {
    const ids = copies.map(({ server }) => {
      const known = messages?.find((id) => decodeMessageId(id).server === server);
      return known ?? context.ids.next(server, "Received").id;
    });
    if (!(await context.store.scheduledMessages.beginArrival(due.id, lease, ids))) return "withdrawn";
    const { records, outcomes } = await store(context, arriving, ids);
    if (outcomes.some(({ outcome }) => outcome === "collision")) {
      messages = null;
      continue;
    }
    announce(context, records, outcomes);
    return outcomes.some(({ outcome }) => outcome === "stored") ? "arrived" : "dropped";
  }
}

/** Stores the messages. Those that were accepted were counted and compared with the quota then. */
async function store(
  context: ArrivalContext,
  arriving: ArrivingMessage,
  ids: readonly MessageId[],
): Promise<{ readonly records: readonly NewMessage[]; readonly outcomes: readonly InsertOutcome[] }> {
  const { due, copies } = arriving;
  const { records, options } = await recordAll(context, arriving, ids);
  const [message = due.id] = ids;
  const repeatable = { scope: arrivalScope, key: due.id, fingerprint: "", message, at: context.clock.now() };
  const companions = { ...options, repeatable, ignoresQuota: due.acceptedAt !== null };
  const outcomes = await context.store.addMessages(records, companions).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "quota_exceeded") {
      context.quotas.suspect(copies.map(({ server }) => server));
    }
    throw error;
  });
  if (options.deliveries !== undefined && options.deliveries.length > 0) context.wakeCallbacks();
  return { records, outcomes };
}

async function recordAll(
  context: ArrivalContext,
  { due, raw, content, copies }: ArrivingMessage,
  ids: readonly MessageId[],
): Promise<ArrivingRecords> {
  return "sms" in content
    ? recordHeldSms(context, { due, raw, content: content.sms, ids })
    : recordMail(context, { due, raw, content: { ...content, copies }, ids });
}
