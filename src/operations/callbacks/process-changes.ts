/** Turns the changes of a server into deliveries for its targets, each exactly once over all nodes. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { withHops } from "../../core/request-hops.ts";
import type { CallbackTarget, LaggingServer, NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { getDelivery } from "../services/reading/get-message.ts";
import { deliveriesOfChange, deliveryReports, openSubscribers } from "./change-deliveries.ts";
import type { Subscribers } from "./change-deliveries.ts";
import { factDeliveries, mailboxDeliveries, subscriptionsInEffect } from "./mailbox-targets.ts";
import { hasFullBacklog } from "./deliveries.ts";
import { readCallbackMessage } from "./event-mail.ts";

/**
 * Result of one step:
 * - `processed`: some changes were processed; there may be more.
 * - `idle`: there was no change.
 * - `held`: as many deliveries of the server are pending as may be; its changes wait.
 * - `lost`: another node moved the cursor.
 * - `skipped`: the journal no longer held the changes, which were skipped.
 */
interface ProcessOutcome {
  readonly result: "processed" | "idle" | "held" | "lost" | "skipped";
  /** Last change that this call processed, or the cursor. */
  readonly cursor: number;
  /** Number of changes that no delivery was made of although targets may have wanted it. */
  readonly skippedCount: number;
  /** Failures of single changes, which were skipped. */
  readonly errors: readonly unknown[];
}

/** Processes changes of servers step by step. */
export interface ChangeProcessor {
  /** Processes the next changes of a server. Rejects as the store does; nothing is processed then. */
  process(lagging: LaggingServer): Promise<ProcessOutcome>;
}

/** Changes of one step. */
const changeCountMax = 200;
/** Changes whose messages are read at the same time. */
const readCountMax = 20;
/**
 * The same when whole mails are read for criteria of bodies, or events are made for each of up to a thousand recipients:
 * bounds the memory.
 */
const largeReadCountMax = 4;
/** Deliveries after which a step ends, so that its transaction stays small. */
const deliveryCountMax = 1000;

/** Creates a processor. */
export function createChangeProcessor(context: Context): ChangeProcessor {
  const { callbacks } = context.store;
  /** Deliveries that were made since the number of pending ones was last read. */
  const unchecked = new Map<ServerId, number>();

  const isHeld = async (server: ServerId): Promise<boolean> => {
    if ((unchecked.get(server) ?? deliveryCountMax) < deliveryCountMax) return false;
    if (await hasFullBacklog(context, server)) return true;
    unchecked.set(server, 0);
    return false;
  };
  return {
    process: async ({ server, cursor, sequence }) => {
      const outcome = (result: ProcessOutcome["result"]): ProcessOutcome => {
        return { result, cursor, skippedCount: 0, errors: [] };
      };
      if (await isHeld(server)) return outcome("held");
      const targets = await callbacks.listTargets(server);
      const mailboxes = await subscriptionsInEffect(context, targets);
      const changes = await context.store.listChanges(server, cursor, changeCountMax);
      if (changes === undefined) {
        const deliveries = await factDeliveries(context, mailboxes, { fact: "missed", sequence });
        const isMoved = await callbacks.processChanges({ server, from: cursor, to: sequence, deliveries });
        if (!isMoved) return outcome("lost");
        return { ...outcome("skipped"), cursor: sequence, skippedCount: sequence - cursor };
      }
      const { deliveries, to, errors } = await collect(context, { targets, mailboxes, changes, cursor });
      if (to === cursor) return outcome("idle");
      if (!(await callbacks.processChanges({ server, from: cursor, to, deliveries }))) return outcome("lost");
      unchecked.set(server, (unchecked.get(server) ?? 0) + deliveries.length);
      if (deliveries.length > 0) context.wakeCallbacks();
      return { result: "processed", cursor: to, skippedCount: errors.length, errors };
    },
  };
}

type Changes = NonNullable<Awaited<ReturnType<Context["store"]["listChanges"]>>>;

async function collect(
  context: Context,
  from: {
    readonly targets: readonly CallbackTarget[];
    readonly mailboxes: readonly CallbackTarget[];
    readonly changes: Changes;
    readonly cursor: number;
  },
): Promise<{ readonly deliveries: readonly NewDelivery[]; readonly to: number; readonly errors: readonly unknown[] }> {
  const subscribers = openSubscribers(from.targets);
  const deliveries: NewDelivery[] = [];
  const errors: unknown[] = [];
  let to = from.cursor;
  const step = readCountOf(subscribers);
  for (let start = 0; start < from.changes.length && deliveries.length < deliveryCountMax; start += step) {
    const changes = from.changes.slice(start, start + step);
    const made = await Promise.allSettled(
      changes.map(async (one) => [
        ...(await deliveriesOfChange(context, subscribers, one)),
        ...(await mailboxDeliveries(context, from.mailboxes, one)),
      ]),
    );
    for (const one of made) {
      if (one.status === "fulfilled") deliveries.push(...one.value);
      else errors.push(skippable(one.reason));
    }
    to = changes.at(-1)?.sequence ?? to;
  }
  return { deliveries, to, errors };
}

function readCountOf({ webhooks, events }: Subscribers): number {
  const isLarge = events.length > 0 || webhooks.some(({ settings }) => settings.criteria?.body !== undefined);
  return isLarge ? largeReadCountMax : readCountMax;
}

/**
 * Returns the failure of a change or report that is skipped; throws one of the store, which will be available again. Any
 * other, such as a damaged message, would repeat for ever and stop the callbacks of the server.
 */
function skippable(error: unknown): unknown {
  if (error instanceof Problem && error.row.status >= 500 && error.code !== "data_damaged") throw error;
  return error;
}

// Events `message.delivery` about sent messages that the relay or a receiver of SMS has accepted.

/** Reports of one transaction. */
const reportCountMax = 50;

/** Result of {@link makeReports}. */
interface ReportOutcome {
  /** Whether there may be more reports. */
  readonly hasMore: boolean;
  /** Failures of single reports, which were dropped. */
  readonly errors: readonly unknown[];
}

/**
 * Queues events `message.delivery` about messages all of whose recipients have it, from the reports that the store recorded
 * with the attempts; permanent failures are in the journal. Several nodes may do so at once: the same event is queued once.
 * Rejects as the store does; the reports then remain.
 */
export async function makeReports(context: Context): Promise<ReportOutcome> {
  const { callbacks } = context.store;
  const pending = await callbacks.listPendingReports(reportCountMax);
  const deliveries: NewDelivery[] = [];
  const errors: unknown[] = [];
  for (const message of new Set(pending.map((report) => report.message))) {
    try {
      deliveries.push(...(await reportsOf(context, message)));
    } catch (error) {
      errors.push(skippable(error));
    }
  }
  if (pending.length > 0) await callbacks.finishReports({ reports: pending.map(({ id }) => id), deliveries });
  if (deliveries.length > 0) context.wakeCallbacks();
  return { hasMore: pending.length === reportCountMax, errors };
}

async function reportsOf(context: Context, id: MessageId): Promise<readonly NewDelivery[]> {
  const targets = await context.store.callbacks.listTargets(decodeMessageId(id).server, "webhook");
  const webhooks = openSubscribers(targets).webhooks.filter(({ settings }) =>
    settings.events.includes("message.delivery"),
  );
  if (webhooks.length === 0) return [];
  const delivery = await getDelivery(context.store, id);
  if (delivery?.status !== "Sent") return [];
  const message = await readCallbackMessage(context, id);
  return withHops(message?.detail.hops ?? 0, async () => deliveryReports(context, webhooks, { id, message, delivery }));
}
