/** Scan of mails: their links or images are opened, and what happened becomes the annotation `scan` of the message. */
import { Problem } from "../../core/errors.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { scanMsMax } from "../../core/limits.ts";
import type { Message } from "../../core/message.ts";
import type { ScannerMoment, ScannerSettings, ScannerTargets, ScanReport } from "../../core/scanner.ts";
import type { ScannerVisit } from "../../egress/scanner/scanner-client.ts";
import type { Context } from "../context.ts";
import { openMessage } from "../services/reading/get-message.ts";
import { behaviourOf } from "./scanner-settings.ts";
import { scanUrls, unmadeScan } from "./scan-urls.ts";
import { recordEmail } from "../services/reading/email-record.ts";
import { decodeDetail, showBodies } from "../services/reading/stored-detail.ts";

/**
 * Returns the http and https URLs of a mail that a scanner opens, each once and without its fragment, which is not part of a
 * request: links of the HTML body before those of the text, or images of the HTML body.
 */
export function scannedUrls(
  { html, text }: Pick<Message, "html" | "text">,
  targets: ScannerTargets,
): readonly string[] {
  const found =
    targets === "images" ? html.images.map(({ src }) => src) : [...html.links, ...text.links].map(({ href }) => href);
  const urls = new Set<string>();
  for (const one of found) {
    const url = URL.parse(one);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    url.hash = "";
    urls.add(url.href);
  }
  return [...urls];
}

/** Mail that is not stored as a message. */
interface UnstoredMail {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly raw: Uint8Array;
}

/** Returns the bodies of a mail with their links and images. Rejects as parsing and the analysis of bodies do. */
async function readBodies(
  { readEmail, bodies, closing }: Context,
  { id, server, raw }: UnstoredMail,
): Promise<Pick<Message, "html" | "text">> {
  const content = await readEmail(raw, server);
  const record = recordEmail(id, { raw, envelope: { mailFrom: null, rcptTo: [] }, session: null }, content);
  return showBodies(decodeDetail(record.detailJson), raw, {
    bodies,
    caller: { key: `scanner of ${server}`, signal: closing },
  });
}

/** Dependencies of {@link MessageScanner}. */
export interface MessageScannerDependencies extends Context {
  /** Opens one URL; never rejects. */
  readonly visit: (visit: ScannerVisit) => Promise<void>;
  /** Aborts when the service shuts down. */
  readonly closing: AbortSignal;
}

/** Outcome of a scan: its report was stored; or the message was deleted before or meanwhile; or the service shuts down. */
export type ScanOutcome = "stored" | "deleted" | "stopped";

/** Mail that is scanned before it arrives. */
export interface HeldMail {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly rawBytes: number;
}

interface OneScan {
  readonly server: ServerId;
  readonly settings: ScannerSettings;
  readonly when: ScannerMoment;
  readonly signal: AbortSignal;
}

/** Messages that are scanned at the same time, of all servers and of one; each takes at most a minute. */
export const scanConcurrency = { countMax: 8, countPerServerMax: 2 } as const;
const scans = {
  runningCountMax: scanConcurrency.countMax,
  runningPerKeyCountMax: scanConcurrency.countPerServerMax,
  waitingPerKeyCountMax: 1000,
  waitingCountMax: 10_000,
};
/** Visits of one host at the same time; one that is slow delays no others. */
const visits = { runningCountMax: 32, runningPerKeyCountMax: 4, waitingPerKeyCountMax: 64, waitingCountMax: 64 };
const admissionWaitMsMax = 30_000;
/** Longest wait of a held mail for the turn of its server; it then becomes visible without a scan. */
const heldWaitMsMax: number = scanMsMax;
/** Admission reserves so many bytes for each byte of a mail; the reading of a message states all of its cost. */
const admittedCost = 5;

/** Scanner of messages, fair between servers. */
export class MessageScanner {
  readonly #dependencies: MessageScannerDependencies;
  readonly #scans = new FairQueue(scans);
  readonly #heldScans = new FairQueue(scans);
  readonly #visits = new FairQueue(visits);

  constructor(dependencies: MessageScannerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of messages that wait for their scan. */
  get waitingCount(): number {
    return this.#scans.waitingCount + this.#heldScans.waitingCount;
  }

  /**
   * Scans a stored message in its server's turn and stores the report as its annotation `scan`, in place of an earlier one. A
   * scan of a message that is deleted meanwhile ends at once. Rejects with `too_many_requests` when 1,000 messages of the
   * server wait, and as the store and the analysis of bodies do.
   */
  async scan(id: MessageId, settings: ScannerSettings): Promise<ScanOutcome> {
    const { server } = decodeMessageId(id);
    const { closing } = this.#dependencies;
    try {
      return await this.#scans.run(server, () => this.#scanStored(id, settings), closing);
    } catch (error) {
      if (closing.aborted) return "stopped";
      throw error;
    }
  }

  /**
   * Scans a mail that has not arrived, in its server's turn. Resolves with the report; "stopped" when the service shuts down;
   * undefined when the mail was deleted. When too many mails wait, or for more than a minute, the report says `skipped`.
   * Rejects as the store and the analysis of bodies do.
   */
  async scanHeld(mail: HeldMail, settings: ScannerSettings): Promise<ScanReport | "stopped" | undefined> {
    const { clock, closing } = this.#dependencies;
    const { server } = mail;
    const tooLong = new AbortController();
    const cancel = clock.after(heldWaitMsMax, () => tooLong.abort());
    let hasStarted = false;
    const action = async (): Promise<ScanReport | undefined> => {
      hasStarted = true;
      cancel();
      const urls = await this.#urlsOfHeld(mail, settings);
      return urls === undefined
        ? undefined
        : this.#scanUrls(urls, { server, settings, when: "before", signal: closing });
    };
    try {
      const report = await this.#heldScans.run(server, action, AbortSignal.any([closing, tooLong.signal]));
      return closing.aborted ? "stopped" : report;
    } catch (error) {
      if (closing.aborted) return "stopped";
      if (hasStarted) throw error;
      return unmadeScan({ profile: settings.profile, when: "before", result: "skipped" }, clock.now());
    } finally {
      cancel();
    }
  }

  async #scanStored(id: MessageId, settings: ScannerSettings): Promise<ScanOutcome> {
    const { server } = decodeMessageId(id);
    const { store, closing, events } = this.#dependencies;
    const deleted = new AbortController();
    const unsubscribe = events.subscribe(server, ({ change }) => {
      if (change?.kind === "deleted" && (change.id === null || change.id === id)) deleted.abort();
    });
    try {
      const urls = await this.#urlsOf(id, settings);
      if (urls === undefined) return "deleted";
      const signal = AbortSignal.any([closing, deleted.signal]);
      const report = await this.#scanUrls(urls, { server, settings, when: "after", signal });
      if (closing.aborted) return "stopped";
      const isStored = await store.annotations.putAnnotation(id, { kind: "scan", json: JSON.stringify(report) });
      return isStored ? "stored" : "deleted";
    } finally {
      unsubscribe();
    }
  }

  async #scanUrls(urls: readonly string[], { server, settings, when, signal }: OneScan): Promise<ScanReport> {
    const { clock } = this.#dependencies;
    const visit = (one: ScannerVisit): Promise<void> => this.#visit(one);
    return scanUrls({ clock, visit, server, signal }, { ...settings, when }, urls);
  }

  /** Returns the URLs of a message; undefined when it was deleted. The message is not in memory during the scan. */
  async #urlsOf(id: MessageId, settings: ScannerSettings): Promise<readonly string[] | undefined> {
    const { server } = decodeMessageId(id);
    return this.#admitted(server, settings, async (room) => {
      const context = { ...this.#dependencies, room };
      return (await openMessage(context, { keyId: `scanner of ${server}`, server }, id)).message;
    });
  }

  /** Returns the URLs of a mail that has not arrived; undefined when it was deleted. */
  async #urlsOfHeld(
    { id, server, rawBytes }: HeldMail,
    settings: ScannerSettings,
  ): Promise<readonly string[] | undefined> {
    return this.#admitted(server, settings, async ({ reserve }) => {
      await reserve(admittedCost * rawBytes);
      const raw = await this.#dependencies.store.scheduledMessages.getScheduledRaw(id);
      return raw === undefined ? undefined : readBodies(this.#dependencies, { id, server, raw });
    });
  }

  async #admitted(
    server: ServerId,
    settings: ScannerSettings,
    read: (room: {
      readonly reserve: (bytes: number) => Promise<void>;
    }) => Promise<Pick<Message, "html" | "text"> | undefined>,
  ): Promise<readonly string[] | undefined> {
    const { admission } = this.#dependencies;
    const releases: (() => void)[] = [];
    const reserve = async (bytes: number): Promise<void> => {
      const release = await admission.admit(Math.ceil(bytes / admittedCost), server, admissionWaitMsMax);
      if (release !== null) releases.push(release);
    };
    try {
      const message = await read({ reserve });
      return message === undefined ? undefined : scannedUrls(message, behaviourOf(settings).targets);
    } catch (error) {
      if (error instanceof Problem && error.code === "not_found") return undefined;
      throw error;
    } finally {
      for (const release of releases) release();
    }
  }

  /** Opens a URL in the turn of its host. At most 16 scans have 4 visits each, so the queue is never full. */
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
