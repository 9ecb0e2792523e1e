import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IdRange } from "../../page-bounds.ts";
import { idBytes } from "../../signatures/arrange.ts";
import { PageBatches, type PageBatch } from "../../signatures/page-batch.ts";
import type { SegmentPages } from "../../signatures/segment-layout.ts";
import type { Statements } from "../connection/connection.ts";

/** Stored numbers; part of the file format. */
export const segmentStates = { draft: 0, used: 1, dropped: 2 } as const;
/** Keys of `text_page` that belong to one segment; see `schema/version-1.ts`. */
export const pageNumberEnd: bigint = 2n ** 37n;
/** Bound of segment numbers, so that all keys fit into 63 bits. */
export const segmentNumberEnd: number = 2 ** 26;
/** Ids in one page of members. */
export const memberCountPerBlock = 240;
/** Number of the first page of members, before those of filters. */
export const firstMemberPage = 1;
/** Epochs whose segments are cached. */
const cachedEpochCountMax = 64;

/** Description of a segment without its pages. */
export interface SegmentOutline {
  /** Changes that it covers, both included: it contains every message received or sent by one of them and not deleted since. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly size: number;
  /** Smaller ordinals are received messages, the others sent ones; both in the order of ids. */
  readonly receivedSize: number;
  readonly received: IdRange | null;
  readonly sent: IdRange | null;
  /** Ordinals of messages that are candidates for every term. */
  readonly unindexed: readonly number[];
}

/** Segment that searches use. */
export interface Segment extends SegmentOutline {
  readonly number: number;
}

interface SegmentRow {
  readonly number: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly size: number;
  readonly receivedSize: number;
  readonly receivedFirst: Uint8Array | null;
  readonly receivedLast: Uint8Array | null;
  readonly sentFirst: Uint8Array | null;
  readonly sentLast: Uint8Array | null;
  readonly unindexed: string;
}

/** Range of changes that no segment covers; both included. */
export interface Gap {
  readonly first: number;
  readonly last: number;
}

/** Queries of segments. The rows of a segment never change until it is dropped. */
export class SegmentReads {
  readonly #list: StatementSync;
  readonly #version: StatementSync;
  readonly #page: StatementSync;
  readonly #pagePart: StatementSync;
  readonly #pageNumbers: StatementSync;
  /** Recently listed segments by epoch, with the version of the list. */
  readonly #cache = new Map<number, { readonly version: string; readonly segments: readonly Segment[] }>();

  constructor(database: DatabaseSync) {
    this.#list = database.prepare(
      `select number, first_sequence as firstSequence, last_sequence as lastSequence, size,
         received_size as receivedSize, received_first as receivedFirst, received_last as receivedLast,
         sent_first as sentFirst, sent_last as sentLast, unindexed
       from text_segment where epoch = ? and state = ${segmentStates.used} order by first_sequence`,
    );
    // Numbers only increase, so every change of an epoch's segments changes their highest number or their count.
    this.#version = database.prepare(
      `select max(number) || '/' || count(*) as version from text_segment
       where epoch = ? and state = ${segmentStates.used}`,
    );
    this.#page = database.prepare("select bytes from text_page where number = ?");
    this.#pagePart = database.prepare(
      `select case when length(bytes) = ?1 then substr(bytes, ?2, ?3) else bytes end as bytes,
         length(bytes) <> ?1 as isCompressed from text_page where number = ?4`,
    );
    this.#pageNumbers = database.prepare(
      "select number - ?1 as number from text_page where number >= ?1 + ?2 and number < ?1 + ?3 order by 1",
    );
  }

  /** Returns the segments that searches of an epoch use, in the order of changes; no change is covered twice. */
  list(epoch: number): readonly Segment[] {
    const version = (this.#version.get(epoch)?.["version"] as string | null) ?? "";
    const cached = this.#cache.get(epoch);
    if (cached?.version === version) return cached.segments;
    const segments = (this.#list.all(epoch) as unknown as SegmentRow[]).map(toSegment);
    if (this.#cache.size >= cachedEpochCountMax) this.#cache.clear();
    this.#cache.set(epoch, { version, segments });
    return segments;
  }

  pages({ number, size }: Segment): SegmentPages {
    const start = BigInt(number) * pageNumberEnd;
    return {
      size,
      numbers: (first, end) => this.#pageNumbers.all(start, first, end).map((row) => Number(row["number"])),
      read: (page) => this.#page.get(start + BigInt(page))?.["bytes"] as Uint8Array | undefined,
      readPart: (page, part) => {
        const row = this.#pagePart.get(part.pageBytes, part.start + 1, part.length, start + BigInt(page));
        return row && { bytes: row["bytes"] as Uint8Array, isCompressed: row["isCompressed"] === 1 };
      },
    };
  }

  /** Returns the ids of one block: ordinals from `block · memberCountPerBlock`. */
  members(segment: number, block: number): Uint8Array {
    const row = this.#page.get(BigInt(segment) * pageNumberEnd + BigInt(firstMemberPage + block));
    if (row === undefined) throw new Error("a page of the text index is missing");
    return row["bytes"] as Uint8Array;
  }
}

/** Returns the pages that hold the ids of a segment. */
export function memberPages(ids: Uint8Array): readonly PageBatch[] {
  const batches = new PageBatches();
  const pageBytes = memberCountPerBlock * idBytes;
  for (let at = 0; at < ids.length; at += pageBytes) {
    batches.add({ number: firstMemberPage + at / pageBytes, bytes: ids.subarray(at, at + pageBytes) });
  }
  return batches.takeAll();
}

/** Yields the ids of a segment by ordinal. */
export function* readMembers(segments: SegmentReads, { number, size }: Segment): Generator<Uint8Array> {
  for (let start = 0; start < size; start += memberCountPerBlock) {
    const block = segments.members(number, start / memberCountPerBlock);
    for (let at = 0; at < block.length; at += idBytes) yield block.subarray(at, at + idBytes);
  }
}

/** Returns the changes up to `sequence` that no segment covers, in order. */
export function gapsBetween(segments: readonly Segment[], sequence: number): readonly Gap[] {
  const gaps: Gap[] = [];
  let first = 1;
  for (const { firstSequence, lastSequence } of segments) {
    if (firstSequence > first) gaps.push({ first, last: Math.min(sequence, firstSequence - 1) });
    first = lastSequence + 1;
  }
  gaps.push({ first, last: sequence });
  return gaps.filter((gap) => gap.first <= gap.last);
}

function toSegment(row: SegmentRow): Segment {
  return {
    number: row.number,
    firstSequence: row.firstSequence,
    lastSequence: row.lastSequence,
    size: row.size,
    receivedSize: row.receivedSize,
    received: toRange(row.receivedFirst, row.receivedLast),
    sent: toRange(row.sentFirst, row.sentLast),
    unindexed: JSON.parse(row.unindexed) as readonly number[],
  };
}

function toRange(first: Uint8Array | null, last: Uint8Array | null): IdRange | null {
  return first === null || last === null ? null : { first, last };
}

/** Returns the number of messages that no segment covers, of servers with at least `serverMessageCountMin` messages. */
export function countUnindexed(statements: Statements, segments: SegmentReads, serverMessageCountMin: number): number {
  const servers = statements.get("select epoch, sequence from server where received_count + sent_count >= ?");
  const counted = statements.get(
    "select count(*) as count from message indexed by message_sequence where epoch = ? and sequence between ? and ?",
  );
  let count = 0;
  for (const row of servers.all(serverMessageCountMin)) {
    const { epoch, sequence } = row as unknown as { epoch: number; sequence: number };
    for (const { first, last } of gapsBetween(segments.list(epoch), sequence)) {
      count += Number(counted.get(epoch, first, last)?.["count"]);
    }
  }
  return count;
}
