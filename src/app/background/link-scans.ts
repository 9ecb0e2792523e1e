/** Link scanners: the worker of the queue of scans. */
import { visitRendered } from "../../egress/scanner/rendered-visit.ts";
import { ScannerClient, type ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { MessageScanner } from "../../operations/scanner/scan-message.ts";
import { ScanWorker, type ScanResult } from "../../operations/scanner/scan-worker.ts";
import { PageVisitor } from "../../previews/page-visitor.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { rootWarning } from "../rendering.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Longest pause between two queries for due scans, in milliseconds. */
const pollMs = 1000;

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

/** Running worker. */
export interface ScanLoop {
  /** Starts scans that are due now, without waiting for the next round. */
  readonly check: () => void;
  /** Stops the worker; resolves when running scans have ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the worker. When this process owns its store, scans that a crashed process had
 * leased are due at once; among several nodes, the heartbeat releases such leases.
 */
export async function startLinkScans(
  { context, metrics, scanner }: Pick<Assembly, "context" | "metrics"> & { readonly scanner: MessageScanner },
  { log, nodes, tasks }: Pick<BaseDependencies, "log" | "nodes" | "tasks">,
): Promise<ScanLoop> {
  const { clock, store } = context;
  if (nodes === null) await store.scanners.releaseScans(clock.now());
  let backlog = 0;
  let nextAt: number | null = null;
  const task = tasks.register("link_scans", {
    backlog: () => backlog,
    oldestWaitingMs: () => Math.max(0, clock.now() - (nextAt ?? Infinity)),
    degrades: "links of mails are scanned late",
  });
  const onEnded = ({ message, attempts, outcome }: ScanResult): void => {
    if (outcome === "stored") metrics.linksScanned("scanned");
    if (outcome === "deleted" || outcome === "dropped") metrics.linksScanned(outcome);
    if (outcome === "dropped") log.error({ message, attempts }, "links not scanned: last attempt failed");
    else log.debug({ message, attempts, outcome }, "link scan ended");
  };
  const worker = new ScanWorker({ store, clock, scanner, holder: nodes?.id ?? null, task, onEnded });
  const stop = startBackgroundLoop(clock, {
    everyMs: pollMs,
    task,
    round: async () => {
      nextAt = await store.scanners.nextScanAt();
      backlog = nextAt === null ? 0 : await store.scanners.countScans();
      const dueInMs = (nextAt ?? Infinity) - clock.now();
      if (dueInMs > 0) return Math.min(pollMs, Math.ceil(dueInMs));
      await worker.check();
      return pollMs;
    },
  });
  return {
    check: () => {
      worker.check().catch((error: unknown) => {
        task.failed(error, pollMs);
      });
    },
    stop: async () => {
      await stop();
      await worker.close();
    },
  };
}
