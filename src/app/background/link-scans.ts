/** Link scanners: the worker of the queue of scans. */
import { visitRendered } from "../../egress/scanner/rendered-visit.ts";
import { ScannerClient, type ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { MessageScanner } from "../../operations/scanner/scan-message.ts";
import { scanQueue, type ScanResult } from "../../operations/scanner/scan-queue.ts";
import { PageVisitor } from "../../previews/page-visitor.ts";
import { startQueueWorker, type QueueWorker } from "../../queue/queue-worker.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { rootWarning } from "../rendering.ts";

/** Scanner of messages, with the browser of those scanners that render pages. */
export interface LinkScanner {
  readonly scanner: MessageScanner;
  /** Stops the browser. */
  readonly close: () => Promise<void>;
}

/** Creates the scanner of messages. */
export function createMessageScanner(
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
export function startLinkScans(
  { context, metrics, scanner }: Pick<Assembly, "context" | "metrics"> & { readonly scanner: MessageScanner },
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): QueueWorker {
  const onEnded = ({ id: message, attempts, outcome }: ScanResult): void => {
    if (outcome === "stored") metrics.linksScanned("scanned");
    if (outcome === "deleted" || outcome === "dropped") metrics.linksScanned(outcome);
    if (outcome === "dropped") log.error({ message, attempts }, "links not scanned: last attempt failed");
    else log.debug({ message, attempts, outcome }, "link scan ended");
  };
  const { clock, store } = context;
  return startQueueWorker({ clock, nodes, tasks }, scanQueue({ store, clock, scanner, onEnded }));
}
