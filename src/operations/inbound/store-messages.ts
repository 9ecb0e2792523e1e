/** The way by which operations store messages, whatever brought them. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { ScannerSettings } from "../../core/scanner.ts";
import { attemptEach, Lane, type QueueDefinition } from "../../queue/queue-definition.ts";
import type { WorkOutcome } from "../../store/leased-queue.ts";
import type { Reparse } from "../../store/reparse-store.ts";
import type { NewScan } from "../../store/scanner-store.ts";
import type { InsertOptions, InsertOutcome, NewMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { behaviourOf, findScanner } from "../scanner/scanner-settings.ts";
import type { EmailContent } from "../services/reading/email-bodies.ts";
import type { EmailReading } from "../services/reading/email-reader.ts";
import { recordEmail, type ReceivedMail } from "../services/reading/email-record.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";
import { tagRecords } from "../tags/tagging.ts";
import type { EventMessage } from "../../core/events.ts";
import type { SpanStart } from "../../core/tracing.ts";
import type { SearchBody } from "../../core/search/search-fields.ts";

/** Messages to store. */
export interface MessageBatch {
  readonly records: readonly NewMessage[];
  /** Entries that are stored in the same transaction. */
  readonly options?: InsertOptions;
}

/** Batch that was stored, except for messages of servers that do not exist. */
export interface StoredBatch<Batch extends MessageBatch> {
  readonly batch: Batch;
  /** Outcomes of the records, in their order: `stored` or `no_server`. */
  readonly outcomes: readonly InsertOutcome[];
  /** Records that were stored. */
  readonly stored: readonly NewMessage[];
}

/**
 * Stores messages in one transaction, with the tags that the settings of their servers add and the scans of received mails whose
 * servers have a scanner, unless they have been scanned before; then publishes them to waiters and streams. `build` makes the
 * records, and makes them again with new ids when an id is taken; what it reads is released meanwhile, because many mails wait
 * for one commit. Rejects as `addMessages` of the store does.
 */
export async function storeMessages<Batch extends MessageBatch>(
  context: Context,
  build: () => Batch | Promise<Batch>,
): Promise<StoredBatch<Batch>> {
  for (;;) {
    const batch = await build();
    const { records } = batch;
    if (records.length === 0) return { batch, outcomes: [], stored: [] };
    const outcomes = await context.tracing.run(commit, async () => addRecords(context, batch));
    if (outcomes.some(({ outcome }) => outcome === "collision")) continue;
    announce(context, records, outcomes);
    return { batch, outcomes, stored: records.filter((_, position) => outcomes[position]?.outcome === "stored") };
  }
}

const commit: SpanStart = { name: "commit messages" };

/** Lets the store release search bodies where the servers have no subscribers: records are built anew to be stored again. */
async function addRecords(context: Context, batch: MessageBatch): Promise<readonly InsertOutcome[]> {
  const records = await tagRecords(context, batch.records);
  const scans: NewScan[] = [];
  let releasesBodies = true;
  for (const record of records) {
    if (context.events.hasListeners(serverOf(record))) releasesBodies = false;
    const delay = isUnscanned(record) ? scanDelayOf(context, serverOf(record)) : null;
    const delayMs = delay instanceof Promise ? await delay : delay;
    if (delayMs !== null) scans.push({ message: record.id, dueAt: context.clock.now() + delayMs });
  }
  const options = { ...batch.options, releasesBodies, ...(scans.length > 0 && { scans }) };
  const outcomes = await context.store.addMessages(records, options).catch((error: unknown) => {
    const isFull = error instanceof Problem && error.code === "quota_exceeded";
    if (isFull) context.quotas.suspect([...new Set(records.map(serverOf))]);
    throw error;
  });
  if (scans.length > 0) context.wakeScans();
  return outcomes;
}

function serverOf({ id }: NewMessage): ServerId {
  return decodeMessageId(id).server;
}

/** Returns whether a record is a received mail, as opposed to an SMS, without the report of a scan. */
function isUnscanned({ id, raw, annotations }: NewMessage): boolean {
  const isMail = raw.length > 0 && decodeMessageId(id).direction === "Received";
  return isMail && annotations?.some(({ kind }) => kind === "scan") !== true;
}

function scanDelayOf(context: Context, server: ServerId): number | null | Promise<number | null> {
  const found = findScanner(context.store, server);
  return found instanceof Promise ? found.then(delayOf) : delayOf(found);
}

function delayOf(scanner: ScannerSettings | null): number | null {
  return scanner === null ? null : behaviourOf(scanner).delayMs;
}

// Retries of parsing for mails that could not be parsed when they were received.

/** Pauses in milliseconds before each retry. */
export const reparsePausesMs: readonly [number, ...number[]] = [60_000, 10 * 60_000, 2 * 3_600_000, 24 * 3_600_000];

/** Dependencies of {@link reparseQueue}. */
export type ReparseContext = Context & Pick<EmailReading, "reparse">;

/** Result of a retry. */
export interface ReparseResult extends Reparse {
  /** `gone`: deleted meanwhile. `postponed`: retried later. `given_up`: no further retry. */
  readonly outcome: "read" | "gone" | "postponed" | "given_up";
  /** Null unless parsing failed. */
  readonly error: unknown;
}

/** Returns the companions that schedule a retry for unreadable content; none for other content. */
export function reparseMark(content: Pick<EmailContent, "defects">, now: number): Pick<InsertOptions, "reparseAt"> {
  return content.defects.includes("unreadable") ? { reparseAt: now + reparsePausesMs[0] } : {};
}

/** Returns the definition of the queue of mails that are parsed again, one at a time. */
export function reparseQueue(
  context: ReparseContext,
  onEnded: (result: ReparseResult) => void,
): QueueDefinition<Reparse, WorkOutcome, object, Lane<Reparse>> {
  const [, ...pausesMs] = reparsePausesMs;
  return {
    queue: context.store.reparses.queue,
    name: "reparse",
    degrades: "some mails are shown without subject, text and attachments",
    limits: { runningCountMax: 1, sleepMsMax: 15_000 },
    pausesMsMax: reparsePausesMs,
    openLane: (key) => new Lane(key, 1),
    attempt: attemptEach(
      {
        clock: context.clock,
        pausesMs,
        onFailed: (due, { error, isDropped }) =>
          onEnded({ ...due, outcome: isDropped ? "given_up" : "postponed", error }),
      },
      async (due) => {
        const isRead = await reparseMail(context, due.id);
        onEnded({ ...due, outcome: isRead ? "read" : "gone", error: null });
        return isRead ? "recorded" : null;
      },
    ),
  };
}

/**
 * Parses a mail again, replaces its summary, detail and search keys, and publishes it to waiters and streams like a new one.
 * Returns false when it was deleted.
 */
async function reparseMail(context: ReparseContext, id: MessageId): Promise<boolean> {
  const mail = await findMail(context, id);
  if (mail === undefined) return false;
  const record = recordEmail(id, mail, await context.reparse(mail.raw));
  const sequence = await context.store.reparses.replaceMessage(record);
  if (sequence === undefined) return false;
  announce(context, [record], [{ outcome: "stored", sequence }]);
  return true;
}

/** Loads the mail with its envelope and session. */
async function findMail({ store }: ReparseContext, id: MessageId): Promise<ReceivedMail | undefined> {
  const bytes = await store.getDetail(id);
  const raw = await store.getRaw(id);
  if (bytes === undefined || raw === undefined || raw.byteLength === 0) return undefined;
  const { message, session, submittedAs, transcript } = decodeDetail(bytes);
  const { metadata, provider } = message;
  const { mailFrom, rcptTo } = metadata;
  const faults = metadata.faults?.map((one) => ({ ...one, server: null }));
  const envelope = { mailFrom, rcptTo: rcptTo.map(({ email }) => email ?? "") };
  const optional = {
    ...(provider && { provider }),
    ...(faults && { faults }),
    ...(metadata.accepted !== undefined && { acceptedAt: Date.parse(metadata.accepted) }),
    ...(submittedAs && { submittedAs }),
    ...(transcript && { transcript }),
  };
  return { raw, session, envelope, ...optional };
}

/** Publishes stored messages to waiters and streams; called right after their commit. */
function announce(context: Context, records: readonly NewMessage[], outcomes: readonly InsertOutcome[]): void {
  for (const [position, record] of records.entries()) {
    const stored = outcomes[position];
    if (stored?.outcome !== "stored") continue;
    const { server, direction } = decodeMessageId(record.id);
    const kind = direction === "Sent" ? "sent" : "received";
    context.tracing.stored(server, stored.sequence);
    context.events.publish({
      server,
      change: { sequence: stored.sequence, kind, id: record.id },
      message: new StoredMessage(record),
    });
  }
}

/** Keys and summary of a stored message; its body is joined only where a waiter compares it. */
class StoredMessage implements EventMessage {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly subject: string;
  readonly provider: readonly string[];
  readonly providerId: readonly string[];
  /** Settings of the server may have added tags. */
  readonly tag = null;
  readonly summaryJson: Uint8Array;
  readonly #body: SearchBody;

  constructor({ keys, summaryJson }: NewMessage) {
    const { from, to, subject, provider = [], providerId = [], body } = keys;
    this.from = from;
    this.to = to;
    this.subject = subject;
    this.provider = provider;
    this.providerId = providerId;
    this.summaryJson = summaryJson;
    this.#body = body;
  }

  get body(): string | null {
    return this.#body.text;
  }
}
