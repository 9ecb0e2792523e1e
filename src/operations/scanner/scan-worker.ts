/** Worker of the queue of scans: claims due ones, fairly between servers, and records that they are done. */
import { randomUUID } from "node:crypto";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { isWorkerDeath } from "../../core/worker-death.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ClaimedScan } from "../../store/scanner-store.ts";
import type { Store } from "../../store/store.ts";
import { scanConcurrency, type MessageScanner, type ScanOutcome } from "./scan-message.ts";
import { findScanner } from "./scanner-settings.ts";

/** Result of a claimed scan: `removed`: its server has no scanner any more; `dropped`: every attempt has failed. */
export interface ScanResult extends ClaimedScan {
  readonly outcome: ScanOutcome | "removed" | "postponed" | "dropped";
}

/** Dependencies of {@link ScanWorker}. */
export interface ScanWorkerDependencies {
  readonly store: Pick<Store, "scanners">;
  readonly clock: Clock;
  readonly scanner: Pick<MessageScanner, "scan">;
  /** Id of this node, whose leases other nodes release when it is dead; null without other nodes. */
  readonly holder: string | null;
  /** Reports failures of the store and of scans. */
  readonly task: Pick<BackgroundTask, "failed">;
  /** Called when a claimed scan has ended. */
  readonly onEnded: (result: ScanResult) => void;
}

/** Lease of a scan; longer than a scan takes, with its waits. */
const leaseMs = 300_000;
/** Pauses after failed attempts in milliseconds. */
const pausesMs = [10_000, 60_000, 600_000, 3_600_000] as const;

/** Worker that scans due messages: at most as many at the same time as {@link scanConcurrency} says. */
export class ScanWorker {
  readonly #dependencies: ScanWorkerDependencies;
  readonly #running = new Map<ServerId, Set<Promise<void>>>();
  #checking: Promise<void> | null = null;
  #isNotified = false;
  #isClosed = false;

  constructor(dependencies: ScanWorkerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Claims due scans and starts them. Rejects as the store does. */
  async check(): Promise<void> {
    if (this.#isClosed) return;
    this.#isNotified = true;
    this.#checking ??= this.#checkAll();
    await this.#checking;
  }

  /** Stops claiming; resolves when running scans have ended, which the end of the service brings about. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Its caller reports the failure.
    await this.#checking?.catch(() => undefined);
    await Promise.all([...this.#running.values()].flatMap((scans) => [...scans]));
  }

  get #freeCount(): number {
    const runningCount = [...this.#running.values()].reduce((sum, { size }) => sum + size, 0);
    return scanConcurrency.countMax - runningCount;
  }

  async #checkAll(): Promise<void> {
    try {
      while (this.#isNotified && !this.#isClosed) {
        this.#isNotified = false;
        await this.#claim();
      }
    } finally {
      this.#checking = null;
    }
  }

  async #claim(): Promise<void> {
    const { store, clock, holder } = this.#dependencies;
    if (this.#freeCount === 0) return;
    const now = clock.now();
    // Servers that run as many scans as they may are fewer than scans.
    const servers = await store.scanners.listDueScans(now, 2 * scanConcurrency.countMax);
    for (const server of servers) {
      const runningCount = this.#running.get(server)?.size ?? 0;
      const countMax = Math.min(this.#freeCount, scanConcurrency.countPerServerMax - runningCount);
      if (countMax <= 0 || this.#isClosed) continue;
      const lease = holder === null ? randomUUID() : `${holder}/${randomUUID()}`;
      const claim = { server, now, leasedUntil: now + leaseMs, lease, countMax };
      for (const scan of await store.scanners.claimScans(claim)) this.#start(server, scan, lease);
    }
  }

  #start(server: ServerId, claimed: ClaimedScan, lease: string): void {
    const scans = this.#running.get(server) ?? new Set();
    this.#running.set(server, scans);
    const scan = this.#run(server, claimed, lease).catch((error: unknown) => {
      this.#dependencies.task.failed(error);
    });
    scans.add(scan);
    void scan.finally(() => {
      scans.delete(scan);
      if (scans.size === 0) this.#running.delete(server);
      if (!this.#isClosed) this.#checkAgain();
    });
  }

  #checkAgain(): void {
    this.check().catch((error: unknown) => {
      this.#dependencies.task.failed(error);
    });
  }

  /** Scans a message and records the outcome. When the store fails, the scan is repeated at the end of its lease. */
  async #run(server: ServerId, claimed: ClaimedScan, lease: string): Promise<void> {
    const { store, clock, scanner, task, onEnded } = this.#dependencies;
    const { message, attempts } = claimed;
    try {
      const settings = await findScanner({ store }, server);
      const outcome = settings === null ? "removed" : await scanner.scan(message, settings);
      await store.scanners.postponeScan(message, lease, outcome === "stopped" ? clock.now() : null);
      onEnded({ ...claimed, outcome });
    } catch (error) {
      const pauseMs = pausesMs[attempts - 1];
      task.failed(error, pauseMs);
      // The lease ends by itself, without an outcome: a scan that ends its worker again is quarantined.
      if (isWorkerDeath(error)) return;
      await store.scanners.postponeScan(message, lease, pauseMs === undefined ? null : clock.now() + pauseMs);
      onEnded({ ...claimed, outcome: pauseMs === undefined ? "dropped" : "postponed" });
    }
  }
}
