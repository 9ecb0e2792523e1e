/** Arrival of scheduled and held messages. */
import { arrivalQueue, type Arrival } from "../../operations/scheduled/arrive-scheduled.ts";
import type { MessageScanner } from "../../operations/scanner/scan-message.ts";
import { startQueueWorker, type QueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";

/** Starts the worker of the queue; its end waits for mails that are scanned before their arrival too. */
export function startScheduledMessages(
  { context, scanner }: Pick<Assembly, "context"> & { readonly scanner: Pick<MessageScanner, "scanHeld"> },
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): Pick<QueueWorker, "wake" | "close"> {
  const scanned = new Set<Promise<void>>();
  const onEnded = ({ id, attempts, outcome, error }: Arrival): void => {
    if (outcome === "postponed" && error !== null)
      log.warn({ id, attempts, err: error }, "scheduled message postponed");
    else if (outcome === "dropped") log.error({ id, attempts, err: error }, "scheduled message dropped");
  };
  const onStarted = (arrival: Promise<Arrival>): void => {
    const ended = arrival.then(onEnded).finally(() => scanned.delete(ended));
    scanned.add(ended);
  };
  const definition = arrivalQueue(context, { scanner, onStarted }, onEnded);
  const worker = startQueueWorker({ clock: context.clock, nodes, tasks }, definition);
  return {
    wake: worker.wake,
    close: async () => {
      await worker.close();
      await Promise.all(scanned);
    },
  };
}
