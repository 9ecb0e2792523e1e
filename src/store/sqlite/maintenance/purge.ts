import type { DatabaseSync } from "node:sqlite";
import { idFromBytes } from "../../../core/ids.ts";
import { Statements } from "../connection/connection.ts";
import type { SegmentWrites } from "../text-index/segment-writes.ts";

interface QueuedEpoch {
  readonly epoch: number;
  readonly server: number | null;
}

interface PurgedMessage {
  readonly id: Uint8Array;
  readonly content: number;
}

/** Largest number of undeletable contents that are skipped; above it, the whole epoch is skipped. */
const skippedCountMax = 1000;
/** Rows without content deleted in one step. */
const rowCountPerStep = 1000;
const messageCountMin = 10;
const messageCountMax = 500;

/**
 * Reclaims the space of emptied and deleted servers, whose messages are already unreachable. Each step is short and runs
 * inside the caller's transaction; the queue is a table, so that a restart resumes it.
 */
export class Purge {
  readonly #statements: Statements;
  readonly #segments: SegmentWrites;
  #messageCountPerStep = 50;
  /** Contents that could not be deleted; their rows are skipped so that the others are reclaimed. */
  readonly #skippedContents = new Set<number>();
  /** Epochs that could not be purged by skipping contents; skipped until the next start. */
  readonly #skippedEpochs = new Set<number>();
  /** Content and epoch of the current step. */
  #current: { readonly epoch: number; content: number | null } | undefined;

  constructor(database: DatabaseSync, segments: SegmentWrites) {
    this.#segments = segments;
    this.#statements = new Statements(database);
  }

  /** Whether there is space to reclaim. */
  get isPending(): boolean {
    return this.#nextEpoch() !== undefined;
  }

  /** Runs one step of about `durationMs`; returns false when the queue is empty. */
  step(durationMs: number): boolean {
    const queued = this.#nextEpoch();
    this.#current = queued && { epoch: queued.epoch, content: null };
    if (queued === undefined) return false;
    const before = performance.now();
    const count = this.#purgeMessages(queued.epoch);
    if (count > 0) {
      this.#adapt(count, { tookMs: performance.now() - before, durationMs });
    } else if (!this.#purgeRows(queued)) {
      this.#segments.dropEpoch(queued.epoch);
      this.#statements.run("delete from purge where epoch = ?", queued.epoch);
    }
    return true;
  }

  /**
   * Narrows the next step after a step that failed and was rolled back: first to one message, then to all contents
   * except the one that cannot be deleted, then to the other epochs. Reclaims everything that is not damaged.
   */
  avoid(): void {
    const current = this.#current;
    if (current === undefined) return;
    if (this.#messageCountPerStep > 1) this.#messageCountPerStep = 1;
    else if (current.content === null || this.#skippedContents.size >= skippedCountMax)
      this.#skippedEpochs.add(current.epoch);
    else this.#skippedContents.add(current.content);
  }

  #nextEpoch(): QueuedEpoch | undefined {
    for (const row of this.#statements.get("select epoch, server from purge order by epoch").iterate()) {
      const queued = row as unknown as QueuedEpoch;
      if (!this.#skippedEpochs.has(queued.epoch)) return queued;
    }
    return undefined;
  }

  #deleteContent(content: number): void {
    if (this.#skippedContents.has(content)) return;
    if (this.#current !== undefined) this.#current.content = content;
    this.#statements.run("delete from content where number = ?", content);
    if (this.#current !== undefined) this.#current.content = null;
  }

  #purgeMessages(epoch: number): number {
    const oldest = "select id, content from message where epoch = ? order by id limit ? + 0";
    const rows = this.#statements.get(oldest).all(epoch, this.#messageCountPerStep) as unknown as PurgedMessage[];
    const last = rows.at(-1);
    if (last === undefined) return 0;
    for (const { content } of rows) this.#deleteContent(content);
    for (const table of ["message", "subject", "annotation", "mark"]) {
      this.#statements.run(`delete from ${table} where epoch = ? and id <= ?`, epoch, last.id);
    }
    this.#statements.run("delete from outbox where epoch = ? and message <= ?", epoch, idFromBytes(last.id));
    this.#statements.run(
      "update purge set message_count = max(0, message_count - ?) where epoch = ?",
      rows.length,
      epoch,
    );
    return rows.length;
  }

  #purgeRows({ epoch, server }: QueuedEpoch): boolean {
    const addresses = `delete from address where epoch = ?1 and (role, address, id) in
      (select role, address, id from address where epoch = ?1 order by role, address, id limit ?2 + 0)`;
    if (this.#statements.run(addresses, epoch, rowCountPerStep) > 0) return true;
    const changes = `delete from change where server = ?1 and sequence in
      (select sequence from change where server = ?1 order by sequence limit ?2 + 0)`;
    return server !== null && this.#statements.run(changes, server, rowCountPerStep) > 0;
  }

  /** Sets the number of messages of the next step so that it takes about the intended time. */
  #adapt(count: number, time: { readonly tookMs: number; readonly durationMs: number }): void {
    const fitting = Math.floor((count * time.durationMs) / Math.max(0.1, time.tookMs));
    this.#messageCountPerStep = Math.max(messageCountMin, Math.min(messageCountMax, 2 * count, fitting));
  }
}
