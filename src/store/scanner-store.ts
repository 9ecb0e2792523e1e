/** Contract of the store for link scanners and their queue of messages. */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { LeasedQueue } from "./leased-queue.ts";

/** Message whose links are to be opened. `addMessages` adds it in the transaction of the message (see `InsertOptions`). */
export interface NewScan {
  readonly message: MessageId;
  /** Instant of the scan, in milliseconds since the Unix epoch, as all instants here. */
  readonly dueAt: number;
}

/** Scan that was claimed. */
export interface ClaimedScan {
  /** Message that is scanned. */
  readonly id: MessageId;
  /** Number of claims, including this one. */
  readonly attempts: number;
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
  /** Queued scans; the keys are servers. */
  readonly queue: LeasedQueue<ClaimedScan>;
}
