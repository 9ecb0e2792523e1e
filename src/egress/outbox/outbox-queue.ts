/** Queue of outbound messages: mail to the relay, and SMS to providers. */
import type { Clock } from "../../core/clock.ts";
import { Lane, type QueueDefinition } from "../../queue/queue-definition.ts";
import type { AttemptOutcome, OutboxEntry, OutboxStore, RecordedAttempt } from "../../store/outbox-store.ts";
import type { Store } from "../../store/store.ts";
import { type DeliveryFailure, localRefusal, requestFailure, toFailure } from "../delivery-failure.ts";
import type { SmtpRelay } from "../relay/smtp-relay.ts";

/** Retry schedule of the outbox. */

/** Longest pause between two attempts. */
export const pauseMsMax: number = 24 * 60 * 60 * 1000;
/** Attempts before an entry fails. With a first pause of a minute the pauses double from 1 min to 17 h, and the last is 24 h. */
export const attemptCountMax = 13;
/** Jitter in both directions, as a share of the pause. */
const jitterShare = 0.2;

/** Failed attempt. */
interface FailedAttempt {
  /** Number of attempts, including this one. */
  readonly attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/**
 * Returns the time of the next attempt in milliseconds since the Unix epoch; null after the last attempt. Pauses double from
 * `firstPauseMs`, with jitter by `random` (0 inclusive to 1 exclusive), up to {@link pauseMsMax}.
 */
export function nextAttemptAt(attempt: FailedAttempt, firstPauseMs: number, random: number): number | null {
  if (attempt.attempts >= attemptCountMax) return null;
  const pauseMs = firstPauseMs * 2 ** (attempt.attempts - 1);
  const spread = 1 + jitterShare * (2 * random - 1);
  return attempt.failedAt + Math.round(Math.min(pauseMs * spread, pauseMsMax));
}

/** Returns the longest pauses after 0, 1, 2, … attempts that {@link nextAttemptAt} can choose. */
export function pausesMsMax(firstPauseMs: number): readonly number[] {
  return Array.from({ length: attemptCountMax }, (_, attempts) =>
    attempts === 0 ? 0 : (nextAttemptAt({ attempts, failedAt: 0 }, firstPauseMs, 1) ?? pauseMsMax),
  );
}

/** Outcome of an attempt, for metrics, log and events. */
export interface AttemptReport extends RecordedAttempt {
  readonly entry: OutboxEntry;
  readonly status: AttemptOutcome["status"];
  /** Null for a success. */
  readonly failure: DeliveryFailure | null;
}

/** Options of {@link outboxQueue}. */
interface OutboxQueueOptions {
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
    onRecorded: (entry, outcome, recorded) =>
      onAttempt({ entry, status: outcome.status, failure: failures.get(outcome) ?? null, ...recorded }),
  };
}

/** Dependencies of {@link deliverEntry}. */
export interface DeliveryDependencies {
  readonly store: Pick<Store, "getRaw">;
  /** Null where no relay is configured. */
  readonly relay: Pick<SmtpRelay, "deliver"> | null;
  /** Returns whether mail may be sent to the address; called at each attempt. */
  readonly isAllowed: (address: string) => Promise<boolean>;
  /** Returns whether the address waits for the confirmation of its owner; called at each attempt. */
  readonly isPending: (address: string) => Promise<boolean>;
  /** Delivers the SMS of an entry. */
  readonly deliverSms: (entry: OutboxEntry) => Promise<void>;
}

/** Delivers an entry by its route; rejects with {@link DeliveryFailure}. */
export async function deliverEntry(dependencies: DeliveryDependencies, entry: OutboxEntry): Promise<void> {
  if (entry.route === "relay") await relayEntry(dependencies, entry);
  else if (entry.route === "hook") await dependencies.deliverSms(entry);
  else throw localRefusal("Internal messages are not delivered by the outbox");
}

/** Entries without a message are confirmation mails for pending addresses. */
async function relayEntry(
  dependencies: DeliveryDependencies,
  { message, content, mailFrom, rcptTo }: OutboxEntry,
): Promise<void> {
  if (dependencies.relay === null) throw requestFailure("RESTANTE_RELAY_URL is not set", false);
  for (const address of rcptTo) {
    if (message === null) {
      if (!(await dependencies.isPending(address))) throw localRefusal("The address was removed or verified");
    } else if (!(await dependencies.isAllowed(address))) throw localRefusal("The address is no longer verified");
  }
  const raw = content ?? (message === null ? undefined : await dependencies.store.getRaw(message));
  if (raw === undefined) throw localRefusal("The message was deleted before it was sent");
  const { refused } = await dependencies.relay.deliver({ mailFrom, rcptTo, raw });
  const [first] = refused;
  if (first !== undefined) throw first.failure;
}
