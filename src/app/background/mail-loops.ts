import { leasedQueues } from "../../core/quarantine.ts";
import { visitRendered } from "../../egress/scanner/rendered-visit.ts";
import { ScannerClient, type ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { reparseQueue, type ReparseResult } from "../../operations/inbound/store-messages.ts";
import { type ScanResult, reportQuarantinedScans, scanQueue } from "../../operations/scanner/scan-queue.ts";
import { MessageScanner } from "../../operations/scanner/scan-message.ts";
import { type Arrival, arrivalQueue } from "../../operations/inbound/arrive-scheduled.ts";
import { PageVisitor } from "../../previews/page-visitor.ts";
import { type QueueWorker, startQueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { rootWarning } from "../external-checks.ts";
import { startBackgroundLoop } from "./background-loop.ts";

// Link scanners: the worker of the queue of scans.

/** Scanner of messages, with the browser of those scanners that render pages. */
interface LinkScanner {
  readonly scanner: MessageScanner;
  /** Stops the browser. */
  readonly close: () => Promise<void>;
}

/** Creates the scanner of messages. */
function createMessageScanner(
  { context }: Pick<Assembly, "context">,
  { config, log, tasks }: Pick<BaseDependencies, "config" | "log" | "tasks">,
): LinkScanner {
  const { clock, settings } = context;
  const client = new ScannerClient({ policy: settings.scannerTargets, clock });
  const visitor = new PageVisitor({ choice: config.chromium, clock, tasks, onStart: rootWarning(log) });
  const rendering = { client, clock, render: visitor.visit.bind(visitor) };
  const visit = (one: ScannerVisit): Promise<void> => (one.renders ? visitRendered(rendering, one) : client.visit(one));
  return { scanner: new MessageScanner({ ...context, visit }), close: () => visitor.close() };
}

/** Starts the worker of the queue of scans. */
function startLinkScans(
  { context, metrics, scanner }: Pick<Assembly, "context" | "metrics"> & { readonly scanner: MessageScanner },
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): QueueWorker {
  const onEnded = ({ id: message, attempts, outcome }: ScanResult): void => {
    if (outcome === "stored") metrics.linksScanned({ outcome: "scanned" });
    if (outcome === "deleted" || outcome === "dropped") metrics.linksScanned({ outcome });
    if (outcome === "dropped") log.error({ message, attempts }, "links not scanned: last attempt failed");
    else log.debug({ message, attempts, outcome }, "link scan ended");
  };
  const { clock, store } = context;
  return startQueueWorker({ clock, nodes, tasks }, scanQueue({ store, clock, scanner, onEnded }));
}

// Arrival of scheduled and held messages.

/** Starts the worker of the queue; its end waits for mails that are scanned before their arrival too. */
function startScheduledMessages(
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

/** Starts the workers that parse mails again, let scheduled ones arrive and scan links; the returned function stops them. */
export function startMailLoops(
  assembly: Pick<Assembly, "context" | "metrics" | "reparse" | "notifiers">,
  base: Pick<BaseDependencies, "config" | "log" | "nodes" | "tasks">,
): () => Promise<void> {
  const { context, reparse, notifiers } = assembly;
  const { scanner, close } = createMessageScanner(assembly, base);
  const onReparsed = ({ id: message, attempts, outcome, error }: ReparseResult): void => {
    if (outcome === "read") base.log.info({ message, attempts }, "mail parsed on retry");
    if (outcome === "given_up")
      base.log.error({ message, attempts, err: error }, "mail cannot be parsed: last attempt failed");
  };
  const workers = [
    startScheduledMessages({ ...assembly, scanner }, base),
    startLinkScans({ ...assembly, scanner }, base),
    startQueueWorker({ ...base, clock: context.clock }, reparseQueue({ ...context, reparse }, onReparsed)),
  ];
  notifiers.scans.listen(() => {
    for (const { wake } of workers) wake();
  });
  return async () => {
    notifiers.scans.listen(() => undefined);
    await Promise.all(workers.map((worker) => worker.close()));
    await close();
  };
}

// Background loop that quarantines work which ends the process or the worker, in all queues.

/** Pause between two queries, in milliseconds; claims leave such work out by themselves. */
const pollMs = 2000;

/**
 * Starts the loop; the returned function stops it. Each piece is logged once, when it is quarantined. The backlog of the task
 * `quarantine_<queue>` is the number of pieces that wait to be retried by hand.
 */
export function startQuarantine(
  { context: { clock, store } }: Pick<Assembly, "context">,
  { log, tasks }: Pick<BaseDependencies, "log" | "tasks">,
): () => Promise<void> {
  let counts: Awaited<ReturnType<typeof store.quarantine.countQuarantined>> | null = null;
  const perQueue = leasedQueues.map((queue) =>
    tasks.register(`quarantine_${queue}`, { backlog: () => counts?.[queue] ?? 0 }),
  );
  const stop = startBackgroundLoop(clock, {
    everyMs: pollMs,
    task: tasks.register("quarantine"),
    round: async () => {
      const found = await store.quarantine.quarantineDue(clock.now());
      for (const { queue, id, message, attempts } of found) {
        log.error({ queue, id, message, attempts }, "work quarantined: its attempts ended the process or worker");
      }
      await reportQuarantinedScans(store, found);
      counts = await store.quarantine.countQuarantined();
      for (const task of perQueue) task.succeeded();
    },
  });
  return async () => {
    await stop();
    for (const task of perQueue) task.end();
  };
}
