/** Scan of the URLs of one mail, within its limits. */
import type { Clock } from "../../core/clock.ts";
import type { ServerId } from "../../core/ids.ts";
import { annotationBytesMax, scanMsMax, scanRequestCountMax, scanUrlCountMax } from "../../core/limits.ts";
import type { ScannerBehaviour, ScannerSettings, ScanReport, ScanRequest } from "../../core/scanner.ts";
import type { ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import { behaviourOf } from "./scanner-settings.ts";

/** Dependencies of {@link scanUrls}. */
export interface ScanDependencies {
  readonly clock: Clock;
  /** Opens one URL; never rejects. */
  readonly visit: (visit: ScannerVisit) => Promise<void>;
  /** Server of the mail. */
  readonly server: ServerId;
  /** Aborts when the service shuts down, or when the message is deleted. */
  readonly signal: AbortSignal;
}

/** URLs that are opened at the same time. */
const parallelCountMax = 4;
/** Bytes of the members of a report besides its requests. */
const frameBytes = 1024;

/**
 * Opens at most 100 different URLs, 4 at a time, with each method of the scanner in turn, for at most a minute and 500
 * requests. Resolves with the report, whose JSON fits an annotation; never rejects.
 */
export async function scanUrls(
  { clock, visit, server, signal }: ScanDependencies,
  settings: ScannerSettings,
  urls: readonly string[],
): Promise<ScanReport> {
  const behaviour = behaviourOf(settings);
  const started = clock.now();
  const different = [...new Set(urls)];
  const requests: ScanRequest[] = [];
  const end = new AbortController();
  const cancelEnd = clock.after(scanMsMax, () => end.abort());
  const scan: RunningScan = {
    behaviour,
    visit,
    server,
    signal: AbortSignal.any([end.signal, signal]),
    waiting: different.slice(0, scanUrlCountMax),
    requests,
    startedCount: 0,
    isPartial: different.length > scanUrlCountMax,
  };
  await Promise.all(Array.from({ length: parallelCountMax }, () => openUrls(scan)));
  cancelEnd();
  const isComplete = !scan.isPartial && !scan.signal.aborted;
  return fitted({
    profile: settings.profile,
    when: behaviour.when,
    result: isComplete ? "complete" : "partial",
    started: new Date(started).toISOString(),
    finished: new Date(clock.now()).toISOString(),
    urlCount: different.length,
    skippedCount: different.length - scan.startedCount,
    omittedCount: 0,
    requests,
  });
}

interface RunningScan {
  readonly behaviour: ScannerBehaviour;
  readonly visit: ScanDependencies["visit"];
  readonly server: ServerId;
  readonly signal: AbortSignal;
  readonly waiting: string[];
  readonly requests: ScanRequest[];
  startedCount: number;
  isPartial: boolean;
}

/** Opens the waiting URLs in sequence. */
async function openUrls(scan: RunningScan): Promise<void> {
  while (mayGoOn(scan)) {
    const url = scan.waiting.shift();
    if (url === undefined) return;
    scan.startedCount += 1;
    for (const method of scan.behaviour.methods) {
      if (!mayGoOn(scan)) break;
      await scan.visit({
        url,
        method,
        userAgent: scan.behaviour.userAgent,
        renders: scan.behaviour.renders && method === "GET",
        server: scan.server,
        signal: scan.signal,
        onRequest: (request) => {
          scan.requests.push(request);
          return mayGoOn(scan);
        },
      });
    }
  }
}

/** Returns whether another request may start: running ones are counted, so that the limit is exact. */
function mayGoOn(scan: RunningScan): boolean {
  if (scan.signal.aborted) return false;
  if (scan.requests.length < scanRequestCountMax - parallelCountMax) return true;
  scan.isPartial = true;
  return false;
}

/** Omits the last requests of a report that is too large for an annotation. */
function fitted(report: ScanReport): ScanReport {
  let bytes = frameBytes;
  const { requests } = report;
  const end = requests.findIndex((request) => {
    bytes += Buffer.byteLength(JSON.stringify(request)) + 1;
    return bytes > annotationBytesMax;
  });
  if (end === -1) return report;
  return { ...report, requests: requests.slice(0, end), omittedCount: requests.length - end };
}

/** Returns the report of a scan that was not made. */
export function unmadeScan(
  facts: Pick<ScanReport, "profile" | "when"> & { readonly result: "skipped" | "quarantined" },
  now: number,
): ScanReport {
  const at = new Date(now).toISOString();
  return { ...facts, started: at, finished: at, urlCount: 0, skippedCount: 0, omittedCount: 0, requests: [] };
}
