/** Queue of deliveries of callbacks: fair between receivers, with bounded memory and sockets. */
import type { CallbackOutcome, CallbackStore, StoredDelivery } from "../../store/callback-store.ts";
import type { RecordedOutcome } from "../../store/target-failures.ts";
import type { QueueDefinition } from "../../queue/queue-definition.ts";
import { attemptCallback, type AttemptDependencies } from "./attempt-callback.ts";
import { CallbackQueue } from "./callback-queue.ts";
import { callbackPausesMsMax } from "./callback-schedule.ts";

/** Recorded outcome of an attempt, for metrics, log and events. */
export interface CallbackReport extends RecordedOutcome {
  readonly delivery: StoredDelivery;
  readonly outcome: CallbackOutcome;
}

/** Sender of requests. */
export type CallbackSender = Omit<AttemptDependencies, "clock" | "firstPauseMs" | "random" | "onError">;

/** Options of {@link deliveryQueue}. */
export interface DeliveryQueueOptions extends Pick<AttemptDependencies, "clock" | "firstPauseMs" | "random"> {
  readonly queue: CallbackStore["queue"];
  /** Loads the sender, with the first delivery. */
  readonly openSender: () => Promise<CallbackSender>;
  readonly onRecorded: (report: CallbackReport) => void;
}

/** Above the first number of running requests a receiver gets one only when it has none. Claimed deliveries have at most 64 kB. */
const limits = { runningCountMax: 512, runningCountHardMax: 1024, waitingCountMax: 1024 } as const;

/** Returns the definition of the queue. */
export function deliveryQueue({
  queue,
  openSender,
  onRecorded,
  ...rules
}: DeliveryQueueOptions): QueueDefinition<StoredDelivery, CallbackOutcome, RecordedOutcome, CallbackQueue> {
  return {
    queue,
    name: "callback_deliveries",
    degrades: "webhooks and status callbacks are delivered late",
    limits,
    pausesMsMax: callbackPausesMsMax(rules.firstPauseMs),
    keyOf: (delivery) => delivery.queue,
    openLane: (name) => new CallbackQueue(name),
    attempt: async (first, lane, task) => {
      const onError = (error: unknown): void => {
        task.failed(error);
      };
      const result = await attemptCallback(
        { ...(await openSender()), ...rules, onError },
        {
          first,
          extend: (countMax) => lane.extend(first, countMax),
          putBack: (deliveries) => {
            lane.putBack(deliveries);
          },
        },
      );
      const { receiver, retryAfterMs } = result;
      lane.adapt(receiver, { nowMs: rules.clock.monotonicMs(), retryAfterMs });
      return result;
    },
    onRecorded: (delivery, outcome, recorded) => {
      onRecorded({ delivery, outcome, ...recorded });
    },
  };
}
