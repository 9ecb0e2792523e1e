import type { DatabaseSync, StatementSync } from "node:sqlite";
import { release } from "../../signatures/byte-writer.ts";
import { readPageBatch, type PageBatch } from "../../signatures/page-batch.ts";
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

/** Changes of segments, for use inside the writer's transaction. */
export class SegmentWrites {
  readonly #open: StatementSync;
  readonly #insertPage: StatementSync;
  readonly #state: StatementSync;
  readonly #setState: StatementSync;
  readonly #setOutline: StatementSync;
  readonly #dropDrafts: StatementSync;
  readonly #last: StatementSync;
  readonly #dropEpoch: StatementSync;
  readonly #next: StatementSync;
  readonly #removePages: StatementSync;
  readonly #remove: StatementSync;
  /** Pages written last; a failed group commit writes them again, any other write releases them. */
  #lastPages: PageBatch | undefined;

  constructor(database: DatabaseSync) {
    this.#open = database.prepare(
      `insert into text_segment (epoch, state, first_sequence, last_sequence, size, received_size, unindexed)
       select epoch, ${segmentStates.draft}, 0, 0, 0, 0, '[]' from server where epoch = ? returning number`,
    );
    this.#insertPage = database.prepare("insert into text_page (number, bytes) values (?, ?)");
    this.#state = database.prepare(
      "select state, exists (select 1 from server s where s.epoch = g.epoch) as isLive from text_segment g where number = ?",
    );
    this.#setState = database.prepare("update text_segment set state = ? where number = ?");
    this.#setOutline = database.prepare(
      `update text_segment set state = ${segmentStates.used}, first_sequence = ?, last_sequence = ?, size = ?,
         received_size = ?, received_first = ?, received_last = ?, sent_first = ?, sent_last = ?, unindexed = ?
       where number = ?`,
    );
    this.#dropDrafts = database.prepare(
      `update text_segment set state = ${segmentStates.dropped} where state = ${segmentStates.draft} and number <= ?`,
    );
    this.#last = database.prepare("select max(number) as number from text_segment");
    this.#dropEpoch = database.prepare(`update text_segment set state = ${segmentStates.dropped} where epoch = ?`);
    this.#next = database.prepare(`select number from text_segment where state = ${segmentStates.dropped} limit 1`);
    this.#removePages = database.prepare(
      `delete from text_page where number in
         (select number from text_page where number >= ? and number < ? limit ${rowCountPerStep})`,
    );
    this.#remove = database.prepare("delete from text_segment where number = ?");
  }

  /**
   * Executes one write. `open` returns the new segment's number, the others 1; all return 0 when the segment must be
   * abandoned, because its server was emptied or the writer restarted.
   */
  perform(write: SegmentWrite): number {
    if (write.kind === "open") {
      const number = Number(this.#open.get(write.epoch)?.["number"] ?? 0);
      if (number >= segmentNumberEnd) throw new Error("the text index has used all segment numbers");
      return number;
    }
    if (write.kind === "drop") {
      this.#setState.run(segmentStates.dropped, write.segment);
      return 1;
    }
    if (!this.#is(write.segment, segmentStates.draft)) return 0;
    if (write.kind === "complete") return this.#complete(write.segment, write.outline, write.replaced);
    this.#insertPages(write.segment, write.pages);
    return 1;
  }

  /** Whether the rows of a dropped segment are left. */
  get isReclaimable(): boolean {
    return this.#next.get() !== undefined;
  }

  /** Returns the number of the newest segment, 0 where there is none. */
  lastNumber(): number {
    return Number(this.#last.get()?.["number"] ?? 0);
  }

  /** Drops unfinished segments with numbers of at most `lastNumber`. */
  dropDrafts(lastNumber: number): void {
    this.#dropDrafts.run(lastNumber);
  }

  /** Drops all segments of a finished epoch. */
  dropEpoch(epoch: number): void {
    this.#dropEpoch.run(epoch);
  }

  /** Deletes some rows of dropped segments; false when there were none. */
  reclaim(): boolean {
    const segment = this.#next.get()?.["number"] as number | undefined;
    if (segment === undefined) return false;
    const start = BigInt(segment) * pageNumberEnd;
    if (Number(this.#removePages.run(start, start + pageNumberEnd).changes) === 0) this.#remove.run(segment);
    return true;
  }

  #is(segment: number, state: number): boolean {
    const row = this.#state.get(segment);
    return row?.["state"] === state && row["isLive"] === 1;
  }

  #insertPages(segment: number, pages: PageBatch): void {
    const start = BigInt(segment) * pageNumberEnd;
    if (this.#lastPages !== undefined && this.#lastPages !== pages) release(this.#lastPages);
    this.#lastPages = pages;
    for (const { number, bytes } of readPageBatch(pages)) this.#insertPage.run(start + BigInt(number), bytes);
  }

  #complete(segment: number, outline: SegmentOutline, replaced: readonly number[]): number {
    if (!replaced.every((number) => this.#is(number, segmentStates.used))) {
      this.#setState.run(segmentStates.dropped, segment);
      return 0;
    }
    for (const number of replaced) this.#setState.run(segmentStates.dropped, number);
    const { firstSequence, lastSequence, size, receivedSize, received, sent, unindexed } = outline;
    this.#setOutline.run(
      firstSequence,
      lastSequence,
      size,
      receivedSize,
      received?.first ?? null,
      received?.last ?? null,
      sent?.first ?? null,
      sent?.last ?? null,
      JSON.stringify(unindexed),
      segment,
    );
    return 1;
  }
}

/** Returns the buffers of a write that are transferred between threads instead of copied. */
export function transferOf(write: SegmentWrite | null): readonly ArrayBuffer[] {
  return write?.kind === "pages" ? [write.pages.buffer] : [];
}
