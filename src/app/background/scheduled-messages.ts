/** Background loop by which scheduled and held messages arrive. */
import { arriveScheduled, type ArrivalOutcome } from "../../operations/scheduled/arrive-scheduled.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import type { Log } from "../log.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Longest pause between two queries for due mails, in milliseconds. */
const pollMs = 1000;
const retryMsMax = 10_000;

/**
 * Starts the loop; the returned function stops it. When this process owns its store, mails that a crashed process had
 * leased are due at once; among several nodes, the heartbeat releases such leases.
 */
export async function startScheduledMessages(
  { context }: Pick<Assembly, "context">,
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): Promise<() => Promise<void>> {
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
  return startBackgroundLoop(clock, {
    everyMs: pollMs,
    retryMsMax,
    task,
    round: async () => {
      nextAt = await scheduledMessages.nextScheduledAt();
      if (nextAt === null || nextAt > clock.now()) return pauseUntil(nextAt, clock.now());
      const outcomes = await arriveScheduled(context, nodes?.id ?? null);
      for (const one of outcomes) logOutcome(log, one);
      backlog = await scheduledMessages.countScheduledMessages();
      nextAt = await scheduledMessages.nextScheduledAt();
      return pauseUntil(nextAt, clock.now());
    },
  });
}

function pauseUntil(nextAt: number | null, now: number): number {
  return nextAt === null ? pollMs : Math.min(pollMs, Math.max(1, Math.ceil(nextAt - now)));
}

function logOutcome(log: Log, { id, attempts, outcome, error }: ArrivalOutcome): void {
  if (outcome === "postponed") log.warn({ id, attempts, err: error }, "scheduled message postponed");
  else if (outcome === "dropped") log.error({ id, attempts, err: error }, "scheduled message dropped");
}
