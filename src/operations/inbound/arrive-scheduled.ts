/** Arrival of scheduled and held messages. */
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { isWorkerDeath } from "../../core/worker.ts";
import { Lane, type QueueDefinition } from "../../queue/queue-definition.ts";
import type { WorkOutcome } from "../../store/leased-queue.ts";
import type { DueMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { storeMessages } from "./store-messages.ts";
import type { MessageScanner } from "../scanner/scan-message.ts";
import { findEarlyScanners, scanBeforeArrival, withScan } from "../scanner/scan-before-arrival.ts";
import type { EarlyScanners, EarlyScans } from "../scanner/scan-before-arrival.ts";
import { recordHeldSms, recordMail, scheduledContent } from "./arriving-records.ts";
import type { ArrivingRecords, ScheduledContent, ServerRecipients } from "./arriving-records.ts";

/** Result of one due message. */
export interface Arrival {
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
  readonly onStarted: (arrival: Promise<Arrival>) => void;
  /** Receives the error of a scan that failed; the mail arrives without, and is scanned afterwards. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Returns the definition of the queue of messages that arrive later. Each arrives exactly once: the ids of its messages are
 * recorded before they are stored, and an attempt after a crash stores the same messages again, which has no effect.
 */
export function arrivalQueue(
  context: Context,
  scans: Omit<ArrivalScans, "onFailed">,
  onEnded: (arrival: Arrival) => void,
): QueueDefinition<DueMessage, WorkOutcome, object, Lane<DueMessage>> {
  return {
    queue: context.store.scheduledMessages.queue,
    name: "scheduled_emails",
    degrades: "scheduled and held messages arrive late",
    limits: { runningCountMax: batchCount, sleepMsMax: 1000 },
    pausesMsMax: [null, ...pausesMs],
    openLane: (key) => new Lane(key, batchCount),
    attempt: async (first, _lane, task) => {
      const leased = { due: first.item, lease: first.lease, scans: noScans };
      const { work, ...arrival } = await begin(context, leased, { ...scans, onFailed: task.failed });
      onEnded(arrival);
      return { carried: [first], outcomes: [work] };
    },
  };
}

interface LeasedMessage {
  readonly due: DueMessage;
  readonly lease: string;
  /** Reports of the scans before the arrival. */
  readonly scans: EarlyScans;
}

const noScans: EarlyScans = new Map();

/** Result of an attempt, and the outcome to record; null for none. */
interface Attempted extends Arrival {
  readonly work: WorkOutcome | null;
}

/** Attempts the arrival of a message; first starts the scan of a mail of which a server demands it. Never rejects. */
async function begin(context: Context, leased: LeasedMessage, scans: ArrivalScans): Promise<Attempted> {
  const { due, lease } = leased;
  const { id, attempts, rawBytes } = due;
  try {
    const scanners = await findScanners(context, due);
    if (scanners.size === 0) return await attempt(context, leased);
    // The content is read again after the scan, so that mails that wait for theirs take no memory.
    scans.onStarted(scanAndAttempt(context, { id, attempts, rawBytes, lease }, { scans, scanners }));
    return { id, attempts, outcome: "scanning", error: null, work: null };
  } catch (error) {
    return failed(context, leased, error);
  }
}

/** Returns the scanners that demand a scan before the arrival. */
async function findScanners(context: Context, due: DueMessage): Promise<EarlyScanners> {
  const content = scheduledContent(due);
  if (due.isDeleted || due.attempts > scanAttemptCountMax || "sms" in content) return new Map();
  return await findEarlyScanners(
    context.store,
    content.copies.map(({ server }) => server),
  );
}

interface ScannedMessage extends Pick<DueMessage, "id" | "attempts" | "rawBytes"> {
  readonly lease: string;
}

/** Never rejects: when the store fails, the message is due again at the end of its lease. */
async function scanAndAttempt(
  context: Context,
  { id, attempts, rawBytes, lease }: ScannedMessage,
  { scans: { scanner, onFailed }, scanners }: { readonly scans: ArrivalScans; readonly scanners: EarlyScanners },
): Promise<Arrival> {
  const { scheduledMessages } = context.store;
  const arriveWith = async (scans: EarlyScans): Promise<Attempted> => {
    const message = await scheduledMessages.getScheduledMessage(id);
    if (message === undefined) return { id, attempts, outcome: "withdrawn", error: null, work: null };
    return await attempt(context, { due: { ...message, attempts, isDeleted: false }, lease, scans });
  };
  try {
    const scans = await scanBeforeArrival(scanner, { id, rawBytes }, scanners).catch((error: unknown) => {
      onFailed(error);
      return noScans;
    });
    if (scans === "deleted") return { id, attempts, outcome: "withdrawn", error: null };
    const stopped = { id, lease, dueAt: context.clock.now() };
    const { work, ...arrival }: Attempted =
      scans === "stopped"
        ? { id, attempts, outcome: "postponed", error: null, work: stopped }
        : await arriveWith(scans);
    if (work !== null) await scheduledMessages.queue.record([work]);
    return arrival;
  } catch (error) {
    return { id, attempts, outcome: "postponed", error };
  }
}

async function attempt(context: Context, leased: LeasedMessage): Promise<Attempted> {
  const { due, lease } = leased;
  const { id, attempts } = due;
  try {
    const outcome = due.isDeleted ? "deleted" : await arrive(context, leased);
    return { id, attempts, outcome, error: null, work: outcome === "withdrawn" ? null : { id, lease, dueAt: null } };
  } catch (error) {
    return failed(context, leased, error);
  }
}

function failed({ clock }: Context, { due, lease }: LeasedMessage, error: unknown): Attempted {
  const { id, attempts } = due;
  if (attempts >= attemptCountMax) return { id, attempts, outcome: "dropped", error, work: { id, lease, dueAt: null } };
  const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? pausesMs[0];
  const work = { id, lease, dueAt: clock.now() + pauseMs, isDeath: isWorkerDeath(error) };
  return { id, attempts, outcome: "postponed", error, work };
}

async function arrive(
  context: Context,
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

async function insert(context: Context, arriving: ArrivingMessage): Promise<"arrived" | "dropped" | "withdrawn"> {
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
  context: Context,
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
    options: { ...options, repeatable, ...(due.acceptedAt !== null && { limits: "none" }) },
    isWithdrawn: false,
  };
}
