import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { release, readPageBatch, type PageBatch } from "../../signatures/page-batch.ts";
import { Statements } from "../connection/connection.ts";
import { pageNumberEnd, segmentNumberEnd, segmentStates, type SegmentOutline } from "./segments.ts";

/** Small write of the indexer, executed in the writer's transaction. */
export type SegmentWrite =
  | { readonly kind: "open"; readonly epoch: number }
  | { readonly kind: "pages"; readonly segment: number; readonly pages: PageBatch }
  | {
      readonly kind: "complete";
      readonly segment: number;
      readonly outline: SegmentOutline;
      /** Segments that it replaces. */
      readonly replaced: readonly number[];
    }
  | { readonly kind: "drop"; readonly segment: number };

/** Rows deleted in one reclaiming step. */
const rowCountPerStep = 100;

const drop = `update text_segment set state = ${segmentStates.dropped} where`;

/** Changes of segments, for use inside the writer's transaction. */
export class SegmentWrites {
  readonly #statements: Statements;
  /** Pages written last; a failed group commit writes them again, any other write releases them. */
  #lastPages: PageBatch | undefined;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
  }

  /**
   * Executes one write. `open` returns the new segment's number, the others 1; all return 0 when the segment must be
   * abandoned, because its server was emptied or the writer restarted.
   */
  perform(write: SegmentWrite): number {
    if (write.kind === "open") {
      const number = this.#numberOf(
        `insert into text_segment (epoch, state, first_sequence, last_sequence, size, received_size, unindexed)
         select epoch, ${segmentStates.draft}, 0, 0, 0, 0, '[]' from server where epoch = ? returning number`,
        write.epoch,
      );
      if (number >= segmentNumberEnd) throw new Error("the text index has used all segment numbers");
      return number;
    }
    if (write.kind === "drop") {
      this.#drop(write.segment);
      return 1;
    }
    if (!this.#is(write.segment, segmentStates.draft)) return 0;
    if (write.kind === "complete") return this.#complete(write.segment, write.outline, write.replaced);
    this.#insertPages(write.segment, write.pages);
    return 1;
  }

  /** Whether the rows of a dropped segment are left. */
  get isReclaimable(): boolean {
    return this.#nextDropped() > 0;
  }

  /** Returns the number of the newest segment, 0 where there is none. */
  lastNumber(): number {
    return this.#numberOf("select max(number) as number from text_segment");
  }

  /** Drops unfinished segments with numbers of at most `lastNumber`. */
  dropDrafts(lastNumber: number): void {
    this.#statements.run(`${drop} state = ${segmentStates.draft} and number <= ?`, lastNumber);
  }

  /** Drops all segments of a finished epoch. */
  dropEpoch(epoch: number): void {
    this.#statements.run(`${drop} epoch = ?`, epoch);
  }

  /** Deletes some rows of dropped segments; false when there were none. */
  reclaim(): boolean {
    const segment = this.#nextDropped();
    if (segment === 0) return false;
    const start = BigInt(segment) * pageNumberEnd;
    const pages = `delete from text_page where number in
      (select number from text_page where number >= ? and number < ? limit ${rowCountPerStep})`;
    if (this.#statements.run(pages, start, start + pageNumberEnd) === 0) {
      this.#statements.run("delete from text_segment where number = ?", segment);
    }
    return true;
  }

  #nextDropped(): number {
    return this.#numberOf(`select number from text_segment where state = ${segmentStates.dropped} limit 1`);
  }

  #drop(segment: number): void {
    this.#statements.run(`${drop} number = ?`, segment);
  }

  #is(segment: number, state: number): boolean {
    const sql = `select state, exists (select 1 from server s where s.epoch = g.epoch) as isLive
      from text_segment g where number = ?`;
    const row = this.#statements.get(sql).get(segment);
    return row?.["state"] === state && row["isLive"] === 1;
  }

  #insertPages(segment: number, pages: PageBatch): void {
    const start = BigInt(segment) * pageNumberEnd;
    if (this.#lastPages !== undefined && this.#lastPages !== pages) release(this.#lastPages);
    this.#lastPages = pages;
    const insert = this.#statements.get("insert into text_page (number, bytes) values (?, ?)");
    for (const { number, bytes } of readPageBatch(pages)) insert.run(start + BigInt(number), bytes);
  }

  #complete(segment: number, outline: SegmentOutline, replaced: readonly number[]): number {
    if (!replaced.every((number) => this.#is(number, segmentStates.used))) {
      this.#drop(segment);
      return 0;
    }
    for (const number of replaced) this.#drop(number);
    const { firstSequence, lastSequence, size, receivedSize, received, sent, unindexed } = outline;
    const bounds = [received?.first, received?.last, sent?.first, sent?.last].map((id) => id ?? null);
    const covered = [firstSequence, lastSequence, size, receivedSize];
    this.#statements.run(
      `update text_segment set state = ${segmentStates.used}, first_sequence = ?, last_sequence = ?, size = ?,
         received_size = ?, received_first = ?, received_last = ?, sent_first = ?, sent_last = ?, unindexed = ?
       where number = ?`,
      ...covered,
      ...bounds,
      JSON.stringify(unindexed),
      segment,
    );
    return 1;
  }

  /** Returns the column `number` of the first row, 0 where there is none. */
  #numberOf(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statements.get(sql).get(...values)?.["number"] ?? 0);
  }
}

/** Returns the buffers of a write that are transferred between threads instead of copied. */
export function transferOf(write: SegmentWrite | null): readonly ArrayBuffer[] {
  return write?.kind === "pages" ? [write.pages.buffer] : [];
}
