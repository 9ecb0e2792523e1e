import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { busyTimeoutMs, readNumber, walBytesMax } from "../connection/connection.ts";
import type { DeliveryRows } from "../../callbacks/delivery-rows.ts";
import { recordRowsOf } from "../account/record-stores.ts";
import { queryRunner } from "../connection/dialect.ts";
import { Purge } from "./purge.ts";
import { SegmentWrites } from "../text-index/segment-writes.ts";
import { StorageGuard } from "./storage-guard.ts";
import type { Writer } from "../threads/writer.ts";

/** Duration of one step; calls that arrive during a step wait for its end. */
const stepMs = 4;
/** Deliveries of removed targets that are deleted in one step. */
const deliveryCountPerStep = 500;
/** Free pages that are kept for new rows: 4 MB. */
const freePageCountRetained = 1024;
/** Pages returned to the file system in one step. */
const freedPageCountPerStep = 128;
/** Pages in use up to which all free pages are returned in one step, which moves each of these at most once: 8 MB. */
const movedPageCountMax = 2048;

/** Size of the write-ahead log above which it is truncated while the disk is full. */
const fullWalBytesMax = 1024 * 1024;

/** Time that the writer waits for readers of an overlong log, and the pause between attempts. */
const logWaitMs = 20;
const logPauseMs = 1000;

/** Background work of the writer: purging, truncating journals, returning free space. */
export class Maintenance {
  readonly #database: DatabaseSync;
  readonly #writer: Writer;
  readonly #purge: Purge;
  readonly #deliveries: DeliveryRows;
  readonly #run: ReturnType<typeof queryRunner>;
  readonly #segments: SegmentWrites;
  /** Unfinished segments up to this number belong to an earlier writer thread and are dropped. */
  #abandonedNumber: number;
  readonly #freePages: StatementSync;
  readonly #pages: StatementSync;
  /** Writes to the database, so that a commit has something to do. */
  readonly #touch: StatementSync;
  readonly #log: string;
  #hasShrunk = false;
  #logDueAt = 0;

  readonly #guard: StorageGuard;
  #task: "purge" | "upkeep" = "upkeep";

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
    this.#deliveries = recordRowsOf(writer.journal).deliveries;
    this.#run = queryRunner(database);
    this.#log = `${database.location() ?? ""}-wal`;
    this.#freePages = database.prepare("pragma freelist_count");
    this.#pages = database.prepare("pragma page_count");
    this.#touch = database.prepare("update state set probe = probe + 1");
  }

  /** Task of the last step. */
  get task(): "purge" | "upkeep" {
    return this.#task;
  }

  /** Narrows the scope of the next step after a failure other than a full disk. */
  avoidFailure(): void {
    if (this.#task === "purge") this.#purge.avoid();
  }

  /** Runs one short step; returns false when no work is left. */
  step(): boolean {
    this.#task = "upkeep";
    this.#boundLog();
    const { journal } = this.#writer;
    if (this.#abandonedNumber > 0) {
      this.#relaxed(() => {
        this.#segments.dropDrafts(this.#abandonedNumber);
      });
      this.#abandonedNumber = 0;
    }
    if (this.#purge.isPending) {
      this.#task = "purge";
      this.#relaxed(() => this.#writer.transact(() => this.#purge.step(stepMs)));
      return true;
    }
    if (this.#segments.isReclaimable || journal.isOverlong || this.#run(this.#deliveries.hasPurge())) {
      const clear = (): void => {
        if (this.#segments.reclaim() || this.#run(this.#deliveries.purge(deliveryCountPerStep))) return;
        this.#run(journal.trimSome());
      };
      this.#relaxed(() => this.#writer.transact(clear));
      return true;
    }
    const surplus =
      Number(this.#freePages.get()?.["freelist_count"]) - (this.#guard.isFull ? 0 : freePageCountRetained);
    if (surplus > 0) {
      this.#relaxed(() => {
        this.#shrink(surplus);
      });
      this.#hasShrunk = true;
      return true;
    }
    // The file only shrinks when the log is copied into it.
    if (this.#hasShrunk) this.#database.exec(`pragma wal_checkpoint(${this.#guard.isFull ? "truncate" : "passive"})`);
    this.#hasShrunk = false;
    return this.#guard.step();
  }

  /**
   * Returns free pages to the file system. One by one, each is searched for in the list of free pages, which takes time in the
   * square of their number; the commit of a full vacuum takes them all from the end of the file, but needs space in the log for the pages that it moves.
   */
  #shrink(surplus: number): void {
    const used = Number(this.#pages.get()?.["page_count"]) - surplus;
    if (this.#guard.isFull || used > movedPageCountMax + freePageCountRetained) {
      this.#database.exec(`pragma incremental_vacuum(${Math.min(freedPageCountPerStep, surplus)})`);
      return;
    }
    try {
      this.#database.exec("pragma auto_vacuum = full");
      this.#writer.transact(() => this.#touch.run());
    } finally {
      this.#database.exec("pragma auto_vacuum = incremental");
    }
  }

  /**
   * Truncates an overlong write-ahead log. Commits copy it into the database, but it only restarts at a moment without
   * readers, so this waits for one.
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

  /** Runs `body` without waiting for the disk: maintenance that is lost in a power failure is repeated. */
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
