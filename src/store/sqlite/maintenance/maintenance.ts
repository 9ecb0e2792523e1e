import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { busyTimeoutMs, readNumber, walBytesMax } from "../connection/connection.ts";
import { Purge } from "./purge.ts";
import { SegmentWrites } from "../text-index/segment-writes.ts";
import { StorageGuard } from "./storage-guard.ts";
import type { Writer } from "../threads/writer.ts";

/** Length of one step: what a call that arrives meanwhile may have to wait. */
const stepMs = 4;
/** Free pages kept for what comes next rather than given back: 4 MB. */
const freePageCountKept = 1024;
/** Pages given back in one step. */
const freedPageCountPerStep = 128;

/** Size of the write-ahead log above which it is cut off while the medium is full. */
const fullWalBytesMax = 1024 * 1024;

/** How long the writer waits for readers to leave an overlong log, and how often it tries. */
const logWaitMs = 20;
const logPauseMs = 1000;

/** What the writer does when nobody waits for it: purge, forget old changes, give space back. */
export class Maintenance {
  readonly #database: DatabaseSync;
  readonly #writer: Writer;
  readonly #purge: Purge;
  readonly #segments: SegmentWrites;
  /** Segments up to this number were begun before this thread was; their drafts are abandoned. */
  #abandonedNumber: number;
  readonly #freePages: StatementSync;
  readonly #log: string;
  #hasShrunk = false;
  #logDueAt = 0;

  readonly #guard: StorageGuard;
  #part: "purge" | "upkeep" = "upkeep";

  constructor(
    database: DatabaseSync,
    writer: Writer,
    guard: StorageGuard = new StorageGuard(database, null, () => undefined),
  ) {
    this.#guard = guard;
    this.#database = database;
    this.#writer = writer;
    this.#segments = new SegmentWrites(database);
    this.#abandonedNumber = this.#segments.lastNumber();
    this.#purge = new Purge(database, this.#segments);
    this.#log = `${database.location() ?? ""}-wal`;
    this.#freePages = database.prepare("pragma freelist_count");
  }

  /** Part of the work that the last step was about. */
  get part(): "purge" | "upkeep" {
    return this.#part;
  }

  /** Narrows the next step after one that failed for another reason than a full medium. */
  avoidFailure(): void {
    if (this.#part === "purge") this.#purge.avoid();
  }

  /** One short step; false when nothing is left to do. */
  step(): boolean {
    this.#part = "upkeep";
    this.#boundLog();
    const { journal } = this.#writer;
    if (this.#abandonedNumber > 0) {
      this.#relaxed(() => {
        this.#segments.dropDrafts(this.#abandonedNumber);
      });
      this.#abandonedNumber = 0;
    }
    if (this.#purge.isPending) {
      this.#part = "purge";
      this.#relaxed(() => this.#writer.transact(() => this.#purge.step(stepMs)));
      return true;
    }
    if (this.#segments.isReclaimable || journal.isOverlong) {
      const clear = (): boolean => this.#segments.reclaim() || journal.truncateSome();
      this.#relaxed(() => this.#writer.transact(clear));
      return true;
    }
    const surplus = Number(this.#freePages.get()?.["freelist_count"]) - (this.#guard.isFull ? 0 : freePageCountKept);
    if (surplus > 0) {
      const count = Math.min(freedPageCountPerStep, surplus);
      this.#relaxed(() => {
        this.#database.exec(`pragma incremental_vacuum(${count})`);
      });
      this.#hasShrunk = true;
      return true;
    }
    // The file itself only becomes shorter when the log is copied into it.
    if (this.#hasShrunk) this.#database.exec(`pragma wal_checkpoint(${this.#guard.isFull ? "truncate" : "passive"})`);
    this.#hasShrunk = false;
    return this.#guard.step();
  }

  /**
   * Commits copy the log into the database, but it only begins anew at a moment when nobody reads from it. Where readers
   * leave no such moment, make one.
   */
  #boundLog(): void {
    if (performance.now() < this.#logDueAt) return;
    this.#logDueAt = performance.now() + logPauseMs;
    if (
      (statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) <=
      (this.#guard.isFull ? fullWalBytesMax : walBytesMax)
    )
      return;
    this.#database.exec(`pragma busy_timeout = ${logWaitMs}`);
    this.#database.exec("pragma wal_checkpoint(truncate)");
    this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }

  /** Losing upkeep to a power cut costs nothing but doing it again, so it need not wait for the medium. */
  #relaxed(body: () => void): void {
    const synchronous = readNumber(this.#database, "pragma synchronous");
    this.#database.exec(`pragma synchronous = ${Math.min(1, synchronous)}`);
    try {
      body();
    } finally {
      this.#database.exec(`pragma synchronous = ${synchronous}`);
    }
  }
}
