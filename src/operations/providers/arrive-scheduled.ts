/** Arrival of scheduled mails. */
import { randomUUID } from "node:crypto";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { DueMessage } from "../../store/scheduled-message-store.ts";
import type { InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { reparseMark } from "../inbound/reparse-mails.ts";
import { announce } from "../services/events/announce.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { redate } from "./redate.ts";
import type { ServerRecipients } from "./route-email.ts";
import { scheduledContent, type ScheduledContent } from "./schedule-emails.ts";

/** Dependencies of {@link arriveScheduled}. */
export type ArrivalContext = Pick<
  Context,
  "store" | "clock" | "ids" | "events" | "readEmail" | "admission" | "quotas" | "limits"
>;

/** Outcome of one due mail. */
export interface ArrivalOutcome {
  readonly id: MessageId;
  readonly attempts: number;
  /**
   * `arrived`; `dropped`: none of its servers exists, or every attempt has failed; `withdrawn`: cancelled or changed
   * meanwhile; `postponed`: retried later.
   */
  readonly outcome: "arrived" | "dropped" | "withdrawn" | "postponed";
  /** Null unless the attempt failed. */
  readonly error: unknown;
}

/** Pauses after failed attempts in milliseconds; the last one is repeated. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;
/** Attempts after which a mail is dropped: about two days. */
const attemptCountMax = 50;
const admissionWaitMsMax = 30_000;
/** Lease of a due mail; longer than an arrival takes, with the wait for admission. */
const leaseMs = 300_000;
/** Mails that arrive at the same time. */
const batchCount = 20;
/** Scope of the records of arrivals, by which a repeat after a crash recognises that the mail has arrived. */
const arrivalScope = "scheduled";

/**
 * Lets due mails arrive, at most 20, and returns their outcomes. Each arrives exactly once: the ids of its messages are
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
  return Promise.all(due.map((email) => attempt(context, { email, lease })));
}

interface LeasedEmail {
  readonly email: DueMessage;
  readonly lease: string;
}

async function attempt(context: ArrivalContext, leased: LeasedEmail): Promise<ArrivalOutcome> {
  const { email, lease } = leased;
  const { id, attempts } = email;
  const { scheduledMessages } = context.store;
  try {
    const outcome = await arrive(context, leased);
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
  { email, lease }: LeasedEmail,
): Promise<Exclude<ArrivalOutcome["outcome"], "postponed">> {
  const { store, admission, quotas } = context;
  if ((await store.idempotency.findIdempotentRequest(arrivalScope, email.id)) !== undefined) return "arrived";
  const content = scheduledContent(email);
  const copies: ServerRecipients[] = [];
  for (const copy of content.copies) if (await store.hasServer(copy.server)) copies.push(copy);
  const [first] = copies;
  if (first === undefined) return "dropped";
  const release = await admission.admit(copies.length * email.rawBytes, first.server, admissionWaitMsMax);
  try {
    const raw = await store.scheduledMessages.getScheduledRaw(email.id);
    if (raw === undefined) return "withdrawn";
    const arriving = { email, lease, raw, content: { ...content, copies } };
    return await quotas.spend("email", copies.length, () => insert(context, arriving));
  } finally {
    release?.();
  }
}

interface ArrivingEmail extends LeasedEmail {
  readonly raw: Uint8Array;
  readonly content: ScheduledContent;
}

async function insert(context: ArrivalContext, arriving: ArrivingEmail): Promise<"arrived" | "dropped" | "withdrawn"> {
  const { email, lease, content } = arriving;
  let { messages } = email;
  for (;;) {
    const ids = content.copies.map(({ server }) => {
      const known = messages?.find((id) => decodeMessageId(id).server === server);
      return known ?? context.ids.next(server, "Received").id;
    });
    if (!(await context.store.scheduledMessages.beginArrival(email.id, lease, ids))) return "withdrawn";
    const { records, outcomes } = await store(context, arriving, ids);
    if (outcomes.some(({ outcome }) => outcome === "collision")) {
      messages = null;
      continue;
    }
    announce(context, records, outcomes);
    return outcomes.some(({ outcome }) => outcome === "stored") ? "arrived" : "dropped";
  }
}

async function store(
  context: ArrivalContext,
  { email, raw: scheduledRaw, content }: ArrivingEmail,
  ids: readonly MessageId[],
): Promise<{ readonly records: readonly NewMessage[]; readonly outcomes: readonly InsertOutcome[] }> {
  const { origin, mailFrom, copies, isComposed } = content;
  const raw = isComposed ? redate(scheduledRaw, email.sendAt) : scheduledRaw;
  const parsed = await context.readEmail(raw, copies[0]?.server);
  const provider = { ...origin, scheduledAt: new Date(email.sendAt).toISOString() };
  const records = copies.flatMap(({ recipients: rcptTo }, at) => {
    const id = ids[at];
    const mail = { raw, envelope: { mailFrom, rcptTo }, session: null, provider, submittedAs: email.id };
    return id === undefined ? [] : [recordEmail(id, mail, parsed)];
  });
  const [message = email.id] = ids;
  const at = context.clock.now();
  const repeatable = { scope: arrivalScope, key: email.id, fingerprint: "", message, at };
  const options = { ...reparseMark(parsed, at), repeatable };
  const outcomes = await context.store.addMessages(records, options).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "quota_exceeded") {
      context.quotas.suspect(copies.map(({ server }) => server));
    }
    throw error;
  });
  return { records, outcomes };
}
