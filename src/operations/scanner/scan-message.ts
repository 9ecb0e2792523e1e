/** Scan of a stored message: its links or images are opened, and what happened becomes its annotation. */
import { Problem } from "../../core/errors.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { ScannerSettings, ScanReport } from "../../core/scanner.ts";
import type { ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import type { Context } from "../context.ts";
import { getMessage } from "../messages/get-message.ts";
import { behaviourOf } from "./profiles.ts";
import { scannedUrls } from "./scanned-urls.ts";
import { scanUrls } from "./scan-urls.ts";

/** Dependencies of {@link MessageScanner}. */
export interface MessageScannerDependencies extends Pick<
  Context,
  "store" | "clock" | "settings" | "bodies" | "admission" | "events"
> {
  /** Opens one URL; never rejects. */
  readonly visit: (visit: ScannerVisit) => Promise<void>;
  /** Aborts when the service shuts down. */
  readonly closing: AbortSignal;
}

/** Outcome of a scan: its report was stored; or the message was deleted before or meanwhile; or the service shuts down. */
export type ScanOutcome = "stored" | "deleted" | "stopped";

/** Messages that are scanned at the same time, of all servers and of one; each takes at most a minute. */
const scans = { runningCountMax: 8, runningPerKeyCountMax: 2, waitingPerKeyCountMax: 1000, waitingCountMax: 10_000 };
/** Visits of one host at the same time; one that is slow delays no others. */
const visits = { runningCountMax: 32, runningPerKeyCountMax: 4, waitingPerKeyCountMax: 32, waitingCountMax: 32 };
const admissionWaitMsMax = 30_000;
/** Admission reserves so many bytes for each byte of a mail; the reading of a message states all of its cost. */
const admittedCost = 5;

/** Scanner of messages, fair between servers. */
export class MessageScanner {
  readonly #dependencies: MessageScannerDependencies;
  readonly #scans = new FairQueue(scans);
  readonly #visits = new FairQueue(visits);

  constructor(dependencies: MessageScannerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of messages that wait for their scan. */
  get waitingCount(): number {
    return this.#scans.waitingCount;
  }

  /**
   * Scans a message in its server's turn and stores the report as its annotation `scan`, in place of an earlier one. A scan
   * of a message that is deleted meanwhile ends at once. Rejects with `too_many_requests` when 1,000 messages of the server
   * wait, and as the store and the analysis of bodies do.
   */
  async scan(id: MessageId, settings: ScannerSettings): Promise<ScanOutcome> {
    const { server } = decodeMessageId(id);
    const { closing } = this.#dependencies;
    try {
      return await this.#scans.run(server, () => this.#scanNow(id, settings), closing);
    } catch (error) {
      if (closing.aborted) return "stopped";
      throw error;
    }
  }

  async #scanNow(id: MessageId, settings: ScannerSettings): Promise<ScanOutcome> {
    const { store, clock, closing, events } = this.#dependencies;
    const deleted = new AbortController();
    const unsubscribe = events.subscribe(decodeMessageId(id).server, ({ change }) => {
      if (change?.kind === "deleted" && (change.id === null || change.id === id)) deleted.abort();
    });
    try {
      const urls = await this.#urlsOf(id, settings);
      if (urls === null) return "deleted";
      const signal = AbortSignal.any([closing, deleted.signal]);
      const visit = (one: ScannerVisit): Promise<void> => this.#visit(one);
      const report = await scanUrls({ clock, visit, signal }, settings, urls);
      if (closing.aborted) return "stopped";
      const isStored = await store.annotations.putAnnotation(id, { kind: "scan", json: JSON.stringify(report) });
      return isStored ? "stored" : "deleted";
    } finally {
      unsubscribe();
    }
  }

  /** Returns the URLs of a message; null when it was deleted. The message is not in memory during the scan. */
  async #urlsOf(id: MessageId, settings: ScannerSettings): Promise<readonly string[] | null> {
    const { admission } = this.#dependencies;
    const { server } = decodeMessageId(id);
    const releases: (() => void)[] = [];
    const reserve = async (bytes: number): Promise<void> => {
      const release = await admission.admit(Math.ceil(bytes / admittedCost), server, admissionWaitMsMax);
      if (release !== null) releases.push(release);
    };
    try {
      const context = { ...this.#dependencies, room: { reserve } };
      const message = await getMessage(context, { keyId: `scanner of ${server}`, server }, id);
      return scannedUrls(message, behaviourOf(settings).targets);
    } catch (error) {
      if (error instanceof Problem && error.code === "not_found") return null;
      throw error;
    } finally {
      for (const release of releases) release();
    }
  }

  /** Opens a URL in the turn of its host. A scan has at most 4 visits, so the queue is never full. */
  async #visit(visit: ScannerVisit): Promise<void> {
    const host = URL.parse(visit.url)?.host ?? "";
    try {
      await this.#visits.run(host, () => this.#dependencies.visit(visit), visit.signal);
    } catch (error) {
      // The scan reports that it ended.
      if (!visit.signal.aborted) throw error;
    }
  }
}

/** Decodes the annotation `scan` of a message. */
export function decodeScanReport(json: string): ScanReport {
  return JSON.parse(json) as ScanReport;
}
