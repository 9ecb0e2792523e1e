/** Background loop by which scheduled and held messages arrive. */
import { arriveScheduled, type ArrivalOutcome } from "../../operations/scheduled/arrive-scheduled.ts";
import type { MessageScanner } from "../../operations/scanner/scan-message.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import type { Log } from "../log/log.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Longest pause between two queries for due mails, in milliseconds. */
const pollMs = 1000;
const retryMsMax = 10_000;

/** Running loop. */
export interface ScheduledMessageLoop {
  /** Lets messages that are due now arrive, without waiting for the next round. */
  readonly check: () => void;
  /** Stops the loop; resolves when running arrivals have ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the loop. When this process owns its store, mails that a crashed process had
 * leased are due at once; among several nodes, the heartbeat releases such leases.
 */
export async function startScheduledMessages(
  { context, scanner }: Pick<Assembly, "context"> & { readonly scanner: Pick<MessageScanner, "scanHeld"> },
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): Promise<ScheduledMessageLoop> {
  const { scheduledMessages } = context.store;
  const { clock } = context;
  if (nodes === null) await scheduledMessages.releaseScheduledMessages(clock.now());
  let backlog = 0;
  let nextAt: number | null = null;
  const task = tasks.register("scheduled_emails", {
    backlog: () => backlog,
    oldestWaitingMs: () => Math.max(0, clock.now() - (nextAt ?? Infinity)),
    degrades: "scheduled and held messages arrive late",
  });
  const scanned = new Set<Promise<ArrivalOutcome>>();
  const onStarted = (arrival: Promise<ArrivalOutcome>): void => {
    scanned.add(arrival);
    void arrival.then((one) => {
      logOutcome(log, one);
      return scanned.delete(arrival);
    });
  };
  const onFailed = (error: unknown): void => {
    task.failed(error);
  };
  const options = { holder: nodes?.id ?? null, scans: { scanner, onStarted, onFailed } };
  const arrive = async (): Promise<number> => {
    const arrived = await arriveScheduled(context, options);
    for (const one of arrived) logOutcome(log, one);
    return arrived.length;
  };
  const stop = startBackgroundLoop(clock, {
    everyMs: pollMs,
    retryMsMax,
    task,
    round: async () => {
      nextAt = await scheduledMessages.nextScheduledAt();
      if (nextAt === null || nextAt > clock.now()) return pauseUntil(nextAt, clock.now());
      const count = await arrive();
      backlog = await scheduledMessages.countScheduledMessages();
      // Due work that is not claimed waits for other work, or for its quarantine.
      if (count === 0) return pollMs;
      nextAt = await scheduledMessages.nextScheduledAt();
      return pauseUntil(nextAt, clock.now());
    },
  });
  return {
    check: () => void arrive().catch(onFailed),
    stop: async () => {
      await stop();
      await Promise.all(scanned);
    },
  };
}

function pauseUntil(nextAt: number | null, now: number): number {
  return nextAt === null ? pollMs : Math.min(pollMs, Math.max(1, Math.ceil(nextAt - now)));
}

function logOutcome(log: Log, { id, attempts, outcome, error }: ArrivalOutcome): void {
  if (outcome === "postponed" && error !== null) log.warn({ id, attempts, err: error }, "scheduled message postponed");
  else if (outcome === "dropped") log.error({ id, attempts, err: error }, "scheduled message dropped");
}
