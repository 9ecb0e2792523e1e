import type { DatabaseSync } from "node:sqlite";
import type { WriterCalls } from "../threads/calls.ts";
import { isDiskFull } from "../connection/errors.ts";
import type { Notify } from "../threads/notices.ts";
import type { Reserve } from "./reserve.ts";

/** Calls that are rejected while the medium is full: those that add what may be large. */
const growingCalls: ReadonlySet<string> = new Set<keyof WriterCalls>([
  "addMessages",
  "addDevice",
  "putZone",
  "writeSegment",
  "probe",
]);

/** Pause between two looks at a medium that was full. */
const lookPauseMs = 1000;

/**
 * State of the medium. When it is full the reserve is given back, which leaves space for deletion and purge; calls that
 * grow the database are rejected until the reserve fits again.
 */
export class StorageGuard {
  readonly #database: DatabaseSync;
  readonly #reserve: Reserve | null;
  readonly #notify: Notify;
  #isFull = false;
  #lookDueAt = 0;

  /** `reserve` is null for stores that do without: then nothing is rejected that the medium itself takes. */
  constructor(database: DatabaseSync, reserve: Reserve | null, notify: Notify) {
    this.#database = database;
    this.#reserve = reserve;
    this.#notify = notify;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether a call must be rejected with `storage_full`. */
  rejects(call: string): boolean {
    return this.#isFull && growingCalls.has(call);
  }

  /** Takes note of a failed commit; true when it says for the first time that the medium is full. */
  noticeFailure(error: unknown): boolean {
    if (this.#isFull || this.#reserve === null || !isDiskFull(error)) return false;
    this.#enter();
    return true;
  }

  /** One short step towards a whole reserve; true when another may follow at once. */
  step(): boolean {
    const reserve = this.#reserve;
    if (reserve === null || performance.now() < this.#lookDueAt) return false;
    if (!this.#isFull && reserve.isWhole) {
      this.#lookDueAt = Infinity;
      return false;
    }
    if (!reserve.fits) {
      this.#lookDueAt = performance.now() + lookPauseMs;
      if (!this.#isFull) this.#enter();
      return false;
    }
    if (this.#grow(reserve)) return true;
    if (this.#isFull && reserve.isWhole) this.#leave();
    return false;
  }

  /** Answers whether more is missing. */
  #grow(reserve: Reserve): boolean {
    try {
      return reserve.grow();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#lookDueAt = performance.now() + lookPauseMs;
      if (!this.#isFull) this.#enter();
      return false;
    }
  }

  #enter(): void {
    this.#isFull = true;
    this.#lookDueAt = performance.now() + lookPauseMs;
    this.#reserve?.release();
    this.#notify({ kind: "storage", isFull: true });
    try {
      // The log is copied into the database and cut off, which gives back most of what it took.
      this.#database.exec("pragma wal_checkpoint(truncate)");
    } catch (error) {
      // Maintenance tries again and reports; what is committed stays in the log meanwhile.
      if (!isDiskFull(error)) throw error;
    }
  }

  #leave(): void {
    this.#isFull = false;
    this.#lookDueAt = Infinity;
    this.#notify({ kind: "storage", isFull: false });
  }
}
