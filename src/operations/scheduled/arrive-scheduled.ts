/** Arrival of scheduled and held messages. */
import { randomUUID } from "node:crypto";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { DueMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { storeMessages } from "../inbound/store-messages.ts";
import type { MessageScanner } from "../scanner/scan-message.ts";
import {
  findEarlyScanners,
  scanBeforeArrival,
  withScan,
  type EarlyScanners,
  type EarlyScans,
} from "../scanner/scan-before-arrival.ts";
import { recordHeldSms, recordMail, type ArrivingRecords } from "./arriving-records.ts";
import { scheduledContent, type ScheduledContent, type ServerRecipients } from "./scheduled-content.ts";

/** Dependencies of {@link arriveScheduled}. */
export type ArrivalContext = Pick<
  Context,
  "store" | "clock" | "ids" | "events" | "readEmail" | "admission" | "quotas" | "limits" | "wakeCallbacks" | "wakeScans"
>;

/** Outcome of one due message. */
export interface ArrivalOutcome {
  readonly id: MessageId;
  readonly attempts: number;
  /**
   * `arrived`; `dropped`: none of its servers exists, or every attempt has failed; `withdrawn`: cancelled or changed
   * meanwhile; `deleted`: removed with the content of its server; `postponed`: retried later; `scanning`: it arrives after
   * its scan, see {@link ArrivalScans}.
   */
  readonly outcome: "arrived" | "dropped" | "withdrawn" | "deleted" | "postponed" | "scanning";
  /** Null unless the attempt failed. */
  readonly error: unknown;
}

/** Pauses after failed attempts in milliseconds; the last one is repeated. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;
/** Attempts after which a message is dropped: about two days. */
const attemptCountMax = 50;
const admissionWaitMsMax = 30_000;
/** Lease of a due message; longer than an arrival takes, with the wait for admission and a scan. */
const leaseMs = 300_000;
/** Attempts with a scan before the arrival, so that a scan that ends the process does so only a few times. */
const scanAttemptCountMax = 3;
/** Messages that arrive at the same time. */
const batchCount = 20;
/** Scope of the records of arrivals, by which a repeat after a crash recognises that the message has arrived. */
const arrivalScope = "scheduled";

/** Scans of mails before they arrive. */
export interface ArrivalScans {
  readonly scanner: Pick<MessageScanner, "scanHeld">;
  /** Receives the arrival of a mail that is scanned first, which takes up to two minutes; the promise never rejects. */
  readonly onStarted: (arrival: Promise<ArrivalOutcome>) => void;
  /** Receives the error of a scan that failed; the mail arrives without, and is scanned afterwards. */
  readonly onFailed: (error: unknown) => void;
}

/** Options of {@link arriveScheduled}. */
export interface ArrivalOptions {
  /** Id of this node, whose leases other nodes release when it is dead; null without other nodes. */
  readonly holder: string | null;
  /** Null: no mail is scanned before. */
  readonly scans: ArrivalScans | null;
}

/**
 * Lets due messages arrive, at most 20, and returns their outcomes. Each arrives exactly once: the ids of its messages are
 * recorded before they are stored, and an attempt after a crash stores the same messages again, which has no effect.
 */
export async function arriveScheduled(
  context: ArrivalContext,
  { holder, scans }: ArrivalOptions = { holder: null, scans: null },
): Promise<readonly ArrivalOutcome[]> {
  const now = context.clock.now();
  const lease = holder === null ? randomUUID() : `${holder}/${randomUUID()}`;
  const claim = { now, leasedUntil: now + leaseMs, lease, countMax: batchCount };
  const due = await context.store.scheduledMessages.claimScheduledMessages(claim);
  return Promise.all(due.map((one) => begin(context, { due: one, lease, scans: noScans }, scans)));
}

interface LeasedMessage {
  readonly due: DueMessage;
  readonly lease: string;
  /** Reports of the scans before the arrival. */
  readonly scans: EarlyScans;
}

const noScans: EarlyScans = new Map();

/** Attempts the arrival of a message; first starts the scan of a mail of which a server demands it. */
async function begin(
  context: ArrivalContext,
  leased: LeasedMessage,
  scans: ArrivalScans | null,
): Promise<ArrivalOutcome> {
  const { due, lease } = leased;
  const { id, attempts, rawBytes } = due;
  const content = scheduledContent(due);
  const isScanned = scans !== null && !due.isDeleted && attempts <= scanAttemptCountMax && !("sms" in content);
  if (!isScanned) return attempt(context, leased);
  const scanners = await findEarlyScanners(
    context,
    content.copies.map(({ server }) => server),
  );
  if (scanners.size === 0) return attempt(context, leased);
  // The content is read again after the scan, so that mails that wait for theirs take no memory.
  scans.onStarted(scanAndAttempt(context, { id, attempts, rawBytes, lease }, { scans, scanners }));
  return { id, attempts, outcome: "scanning", error: null };
}

interface ScannedMessage extends Pick<DueMessage, "id" | "attempts" | "rawBytes"> {
  readonly lease: string;
}

/** Never rejects: when the store fails, the message is due again at the end of its lease. */
async function scanAndAttempt(
  context: ArrivalContext,
  { id, attempts, rawBytes, lease }: ScannedMessage,
  { scans: { scanner, onFailed }, scanners }: { readonly scans: ArrivalScans; readonly scanners: EarlyScanners },
): Promise<ArrivalOutcome> {
  const { scheduledMessages } = context.store;
  try {
    const scans = await scanBeforeArrival(scanner, { id, rawBytes }, scanners).catch((error: unknown) => {
      onFailed(error);
      return noScans;
    });
    if (scans === "stopped") {
      await scheduledMessages.postponeArrival(id, lease, context.clock.now());
      return { id, attempts, outcome: "postponed", error: null };
    }
    const message = scans === "deleted" ? undefined : await scheduledMessages.getScheduledMessage(id);
    if (message === undefined || scans === "deleted") return { id, attempts, outcome: "withdrawn", error: null };
    return await attempt(context, { due: { ...message, attempts, isDeleted: false }, lease, scans });
  } catch (error) {
    return { id, attempts, outcome: "postponed", error };
  }
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
  { due, lease, scans }: LeasedMessage,
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
    const arriving = { due, lease, scans, raw, content, copies };
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
  const { batch, stored } = await storeMessages(context, async () => {
    const ids = copies.map(({ server }) => {
      const known = messages?.find((id) => decodeMessageId(id).server === server);
      return known ?? context.ids.next(server, "Received").id;
    });
    // Those of an attempt before a crash are taken by these messages or, once, by others.
    messages = null;
    const isOurs = await context.store.scheduledMessages.beginArrival(due.id, lease, ids);
    return isOurs ? recordAll(context, arriving, ids) : { ...nothing, isWithdrawn: true };
  });
  if (batch.isWithdrawn) return "withdrawn";
  const { deliveries = [] } = batch.options;
  if (deliveries.length > 0) context.wakeCallbacks();
  return stored.length > 0 ? "arrived" : "dropped";
}

interface ArrivalBatch extends ArrivingRecords {
  /** Whether the message was cancelled or changed meanwhile. */
  readonly isWithdrawn: boolean;
}

const nothing: ArrivingRecords = { records: [], options: {} };

async function recordAll(
  context: ArrivalContext,
  { due, raw, content, copies, scans }: ArrivingMessage,
  ids: readonly MessageId[],
): Promise<ArrivalBatch> {
  const { records, options } =
    "sms" in content
      ? recordHeldSms(context, { due, raw, content: content.sms, ids })
      : await recordMail(context, { due, raw, content: { ...content, copies }, ids });
  const [message = due.id] = ids;
  const repeatable = { scope: arrivalScope, key: due.id, fingerprint: "", message, at: context.clock.now() };
  return {
    records: records.map((record) => withScan(record, scans)),
    // Messages that were accepted were counted and compared with the quota then.
    options: { ...options, repeatable, ignoresQuota: due.acceptedAt !== null },
    isWithdrawn: false,
  };
}
