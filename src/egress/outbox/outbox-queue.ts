/** Queue of outbound messages: mail to the relay, and SMS to providers. */
import type { Clock } from "../../core/clock.ts";
import { Lane } from "../../queue/lane.ts";
import type { QueueDefinition } from "../../queue/queue-definition.ts";
import type { AttemptOutcome, OutboxEntry, OutboxStore, RecordedAttempt } from "../../store/outbox-store.ts";
import { toFailure, type DeliveryFailure } from "../delivery-failure.ts";
import { nextAttemptAt, pausesMsMax } from "./outbox-schedule.ts";

/** Outcome of an attempt, for metrics, log and events. */
export interface AttemptReport extends RecordedAttempt {
  readonly entry: OutboxEntry;
  readonly status: AttemptOutcome["status"];
  /** Null for a success. */
  readonly failure: DeliveryFailure | null;
}

/** Options of {@link outboxQueue}. */
export interface OutboxQueueOptions {
  readonly queue: OutboxStore["queue"];
  readonly clock: Pick<Clock, "now">;
  /** Delivers one entry; rejects with {@link DeliveryFailure}. */
  readonly deliver: (entry: OutboxEntry) => Promise<void>;
  /** First pause of {@link nextAttemptAt}. */
  readonly firstPauseMs: number;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly onAttempt: (report: AttemptReport) => void;
}

/** Attempts over all entries that run at the same time. */
const runningCountMax = 5;

/** Returns the definition of the queue. */
export function outboxQueue({
  queue,
  clock,
  deliver,
  firstPauseMs,
  random,
  onAttempt,
}: OutboxQueueOptions): QueueDefinition<OutboxEntry, AttemptOutcome, RecordedAttempt, Lane<OutboxEntry>> {
  const failures = new WeakMap<AttemptOutcome, DeliveryFailure>();
  return {
    queue,
    name: "outbox",
    degrades: "outbound messages wait",
    limits: { runningCountMax },
    pausesMsMax: pausesMsMax(firstPauseMs),
    openLane: (key) => new Lane(key, runningCountMax),
    attempt: async (first) => {
      const { item: entry, lease } = first;
      const failure = await deliver(entry).then(() => null, toFailure);
      const at = clock.now();
      const failed = { attempts: entry.attempts, failedAt: at };
      const dueAt = failure?.verdict === "retry" ? nextAttemptAt(failed, firstPauseMs, random()) : null;
      const status = failure === null ? "Sent" : dueAt === null ? "Failed" : "Queued";
      const outcome = { id: entry.id, lease, status, dueAt, lastError: failure?.message ?? null, at } as const;
      if (failure !== null) failures.set(outcome, failure);
      return { carried: [first], outcomes: [outcome] };
    },
    onRecorded: (entry, outcome, recorded) => {
      onAttempt({ entry, status: outcome.status, failure: failures.get(outcome) ?? null, ...recorded });
    },
  };
}
