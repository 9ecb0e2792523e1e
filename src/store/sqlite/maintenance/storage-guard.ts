/** State of the disk, and space that is reserved so that deletion, purging and start-up work while it is full. */
import type { DatabaseSync } from "node:sqlite";
import type { WriterCalls, Notify } from "../threads/calls.ts";
import { isDiskFull } from "../connection/errors.ts";
import type { ScheduledMessageStore } from "../../scheduled-message-store.ts";
import type { AccountStore } from "../../account-store.ts";
import type { CallbackStore } from "../../callback-store.ts";
import type { AnnotationStore, MarkStore } from "../../mark-store.ts";
import type { FaultStore } from "../../fault-store.ts";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync, type StatsFs } from "node:fs";
import path from "node:path";

/** Calls that may add a lot of data, and are rejected while the disk is full, and once pages of the database are known to be damaged. */
export const growingCalls: ReadonlySet<string> = new Set<
  | keyof WriterCalls
  | keyof ScheduledMessageStore
  | keyof AccountStore
  | keyof CallbackStore
  | keyof FaultStore
  | keyof AnnotationStore
  | keyof MarkStore
>([
  "addMessages",
  "putAnnotation",
  "changeMarks",
  "addScheduledMessages",
  "addDevice",
  "putZone",
  "addTarget",
  "addDeliveries",
  "processChanges",
  "replaceFaults",
  "writeSegment",
  "probe",
]);

/** Pause between two checks of a full disk. */
const checkPauseMs = 1000;

/**
 * State of the disk. When it is full, the reserve is freed, which leaves space for deletion and purging; calls that grow the
 * database are rejected until the reserve fits again.
 */
export class StorageGuard {
  readonly #database: DatabaseSync;
  readonly #reserve: Reserve | null;
  readonly #notify: Notify;
  #isFull = false;
  #checkDueAt = 0;

  /** `reserve` is null for stores without one: then only the disk itself rejects calls. */
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

  /** Records a failed commit; returns true when it is the first one that failed because the disk is full. */
  noticeFailure(error: unknown): boolean {
    if (this.#isFull || this.#reserve === null || !isDiskFull(error)) return false;
    this.#enter();
    return true;
  }

  /** Runs one short step towards a complete reserve; returns true when the next step may follow at once. */
  step(): boolean {
    const reserve = this.#reserve;
    if (reserve === null || performance.now() < this.#checkDueAt) return false;
    if (!this.#isFull && reserve.isWhole) {
      this.#checkDueAt = Infinity;
      return false;
    }
    if (!reserve.fits) {
      this.#checkDueAt = performance.now() + checkPauseMs;
      if (!this.#isFull) this.#enter();
      return false;
    }
    if (this.#grow(reserve)) return true;
    if (this.#isFull && reserve.isWhole) this.#leave();
    return false;
  }

  /** Returns whether more is missing. */
  #grow(reserve: Reserve): boolean {
    try {
      return reserve.grow();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#checkDueAt = performance.now() + checkPauseMs;
      if (!this.#isFull) this.#enter();
      return false;
    }
  }

  #enter(): void {
    this.#isFull = true;
    this.#checkDueAt = performance.now() + checkPauseMs;
    this.#reserve?.release();
    this.#notify({ kind: "storage", isFull: true });
    try {
      // Copies the log into the database and truncates it, which frees most of its space.
      this.#database.exec("pragma wal_checkpoint(truncate)");
    } catch (error) {
      // Maintenance retries and reports the error; until then committed rows stay in the log.
      if (!isDiskFull(error)) throw error;
    }
  }

  #leave(): void {
    this.#isFull = false;
    this.#checkDueAt = Infinity;
    this.#notify({ kind: "storage", isFull: false });
  }
}

/** Name of the reserve in the data directory. */
export const reserveFileName = "restante.reserve";
/** Size of the reserve: a checkpoint of a write-ahead log of the usual length, twice. */
export const reserveBytesMax: number = 16 * 1024 * 1024;
/** Largest share of a small disk that the reserve takes. */
const reserveShareMax = 1 / 3;
/** Bytes written in one step. */
const stepBytes = 1024 * 1024;

/** File of {@link reserveBytesMax} that is removed when the disk is full, and written again when there is space. */
export class Reserve {
  readonly #file: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = path.join(directory, reserveFileName);
  }

  /** Frees the reserved space. */
  release(): void {
    rmSync(this.#file, { force: true });
  }

  /** Whether the reserve is complete. */
  get isWhole(): boolean {
    return this.#sizeBytes >= this.#targetBytes;
  }

  /** Whether the disk has space for the missing part of the reserve plus a quarter of the reserve for mail. */
  get fits(): boolean {
    const freeBytes = freeBytesOf(statfsSync(this.#directory));
    return freeBytes === null || freeBytes >= 1.25 * this.#targetBytes - this.#sizeBytes;
  }

  /** Writes the next part; returns true when more is missing. Throws and removes the reserve when the disk is full. */
  grow(): boolean {
    const missingBytes = this.#targetBytes - this.#sizeBytes;
    if (missingBytes <= 0) return false;
    const descriptor = openSync(this.#file, "a", 0o600);
    try {
      writeAll(descriptor, Buffer.alloc(Math.min(stepBytes, missingBytes)));
    } catch (error) {
      this.release();
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return missingBytes > stepBytes;
  }

  get #sizeBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  get #targetBytes(): number {
    const { blocks, bsize } = statfsSync(this.#directory);
    if (blocks === 0) return 0;
    return Math.floor(Math.min(reserveBytesMax, blocks * bsize * reserveShareMax));
  }
}

/** Returns the bytes that a file system has for this user; null when it does not report them, as some network file systems. */
export function freeBytesOf({ bavail, bsize, blocks }: Pick<StatsFs, "bavail" | "bsize" | "blocks">): number | null {
  return blocks === 0 ? null : bavail * bsize;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
