/** Contract of the store for link scanners and their queue of messages. */
import type { MessageId, ServerId } from "../core/ids.ts";

/** Message whose links are to be opened. `addMessages` adds it in the transaction of the message (see `InsertOptions`). */
export interface NewScan {
  readonly message: MessageId;
  /** Instant of the scan, in milliseconds since the Unix epoch, as all instants here. */
  readonly dueAt: number;
}

/** Scan that was claimed. */
export interface ClaimedScan {
  readonly message: MessageId;
  /** Number of claims, including this one. */
  readonly attempts: number;
}

/** Request for the due scans of a server. */
export interface ScanClaim {
  readonly server: ServerId;
  readonly now: number;
  /** Until then no other claim gets the same scans. */
  readonly leasedUntil: number;
  /** Id of this claim. Among several nodes it begins with the id of the node and a slash. */
  readonly lease: string;
  readonly countMax: number;
}

/** Scanners of servers and queued scans. Both are deleted with their server. */
export interface ScannerStore {
  /**
   * Returns the settings of the scanner of a server as JSON, at once and from memory; null without one. A promise when other
   * nodes may have changed scanners since the last query. The answer is exact: it has the changes of all nodes that were
   * complete before the call.
   */
  findScanner(server: ServerId): string | null | Promise<string | null>;
  /**
   * Sets the scanner of a server; null removes it, with its queued scans. When the promise resolves, it applies on every
   * node. Rejects with `not_found` when the server does not exist.
   */
  setScanner(server: ServerId, settingsJson: string | null): Promise<void>;
  /** Returns servers with due scans, the longest due first. */
  listDueScans(now: number, limit: number): Promise<readonly ServerId[]>;
  /** Leases due scans of a server, the longest due first, and counts one more attempt of each. */
  claimScans(claim: ScanClaim): Promise<readonly ClaimedScan[]>;
  /** Makes a claimed scan due at an instant, without its lease; null removes it. Does nothing when the lease was lost. */
  postponeScan(message: MessageId, lease: string, dueAt: number | null): Promise<void>;
  /** Returns the instant at which the next scan is due or the next lease ends; null without scans. */
  nextScanAt(): Promise<number | null>;
  countScans(): Promise<number>;
  /** Makes every leased scan due at `now`. Only for a single process at its start. */
  releaseScans(now: number): Promise<void>;
}
