/** Queue of messages whose links are to be scanned, fair between servers. */
import { decodeMessageId } from "../../core/ids.ts";
import { attemptEach, Lane, type QueueDefinition } from "../../queue/queue-definition.ts";
import type { WorkOutcome } from "../../store/leased-queue.ts";
import type { ClaimedScan } from "../../store/scanner-store.ts";
import type { Context } from "../context.ts";
import { scanConcurrency, type MessageScanner, type ScanOutcome } from "./scan-message.ts";
import { findScanner } from "./scanner-settings.ts";

/** Result of a claimed scan: `removed`: its server has no scanner any more; `dropped`: every attempt has failed. */
export interface ScanResult extends ClaimedScan {
  readonly outcome: ScanOutcome | "removed" | "postponed" | "dropped";
}

/** Dependencies of {@link scanQueue}. */
export interface ScanQueueDependencies extends Pick<Context, "store" | "clock"> {
  readonly scanner: Pick<MessageScanner, "scan">;
  /** Called when a claimed scan has ended. */
  readonly onEnded: (result: ScanResult) => void;
}

/** Pauses after failed attempts in milliseconds. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;

/** Returns the definition of the queue. A scan begins after the delay of its scanner. */
export function scanQueue({
  store,
  clock,
  scanner,
  onEnded,
}: ScanQueueDependencies): QueueDefinition<ClaimedScan, WorkOutcome, object, Lane<ClaimedScan>> {
  return {
    queue: store.scanners.queue,
    name: "link_scans",
    degrades: "links of mails are scanned late",
    limits: { runningCountMax: scanConcurrency.countMax, sleepMsMax: 1000 },
    pausesMsMax: [null, ...pausesMs],
    keyOf: ({ id }) => decodeMessageId(id).server,
    openLane: (server) => new Lane(server, scanConcurrency.countPerServerMax),
    attempt: attemptEach(
      {
        clock,
        pausesMs,
        onFailed: (scan, { isDropped }) => onEnded({ ...scan, outcome: isDropped ? "dropped" : "postponed" }),
      },
      async (scan) => {
        const settings = await findScanner(store, decodeMessageId(scan.id).server);
        const outcome = settings === null ? "removed" : await scanner.scan(scan.id, settings);
        onEnded({ ...scan, outcome });
        return outcome === "stopped" ? clock.now() : null;
      },
    ),
  };
}
