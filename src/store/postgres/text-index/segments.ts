/** Rows of the segments of the text index, and of their pages. */
import { isFilterBitSet, placeBytesOf, type FilterBit } from "../../signatures/segment-filter.ts";
import type { Group, PagePart, StoredPart } from "../../signatures/segment-layout.ts";
import { bigintArray, byteaArray, intArray } from "../connection/parameters.ts";
import type { Session } from "../connection/database.ts";
import { readPageBatch, type PageBatch } from "../../signatures/page-batch.ts";

/** Messages of one server; each epoch has segments of its own. */
export interface SegmentScope {
  /** Number of the server. */
  readonly server: number;
  readonly epoch: number;
}

/** Segment of the text index. */
export interface Segment {
  readonly number: number;
  readonly size: number;
  /** Oldest and newest slot of the direction for which it was listed. */
  readonly first: string;
  readonly last: string;
  /** Number of the filter of subjects that it shares with other segments; null when there is none. */
  readonly mergedFilter: number | null;
  readonly groups: readonly Group[];
  /** Ordinals of messages that are candidates for every term. */
  readonly unindexed: readonly number[];
}

/** Part of a page to be read. */
interface PartRequest {
  readonly segment: number;
  readonly page: number;
  readonly part: PagePart;
}

/** Length of a slot in bytes. */
export const slotBytes = 16;
/** Parts that one statement reads: at most 8 MB. */
const partCountPerRead = 1000;

/** Reads parts of pages; undefined where a page does not exist. */
export async function readParts(
  session: Session,
  { server, epoch }: SegmentScope,
  requests: readonly PartRequest[],
): Promise<readonly (StoredPart | undefined)[]> {
  const parts = Array.from<StoredPart | undefined>({ length: requests.length });
  for (let start = 0; start < requests.length; start += partCountPerRead) {
    const some = requests.slice(start, start + partCountPerRead);
    const rows = await session.query<StoredPart & { n: number }>(
      `select r.n, case when length(p.bytes) = r.whole then substr(p.bytes, r.first + 1, r.length) else p.bytes end as bytes,
         length(p.bytes) <> r.whole as "isCompressed"
       from unnest($3::int8[], $4::int4[], $5::int4[], $6::int4[], $7::int4[])
         with ordinality as r(segment, page, whole, first, length, n)
       cross join lateral (
         select bytes from text_page
         where server_id = $1 and epoch = $2 and segment = r.segment and number = r.page offset 0
       ) p`,
      [
        server,
        epoch,
        bigintArray(some.map(({ segment }) => segment)),
        intArray(some.map(({ page }) => page)),
        intArray(some.map(({ part }) => part.pageBytes)),
        intArray(some.map(({ part }) => part.start)),
        intArray(some.map(({ part }) => part.length)),
      ],
    );
    for (const { n, bytes, isCompressed } of rows) parts[start + n - 1] = { bytes, isCompressed };
  }
  return parts;
}

/** Bit of a filter to be read. */
export interface BitRequest {
  /** Number of the segment, or the negative one of a merged filter. */
  readonly segment: number;
  readonly bit: FilterBit;
}

/**
 * Returns whether each bit of a filter is set. The database decides for nearly all of them, so that few pages are sent: a
 * page that lists places may contain the two bytes of a place across two others, which is decided here.
 */
export async function readBits(
  session: Session,
  { server, epoch }: SegmentScope,
  requests: readonly BitRequest[],
): Promise<readonly boolean[]> {
  const isSet = requests.map(() => false);
  for (let start = 0; start < requests.length; start += partCountPerRead) {
    const some = requests.slice(start, start + partCountPerRead);
    const rows = await session.query<{ n: number; bytes: Uint8Array | null }>(
      `select r.n, case when length(p.bytes) < r.whole and position(r.place in p.bytes) % 2 = 0 then p.bytes end as bytes
       from unnest($3::int8[], $4::int4[], $5::int4[], $6::int4[], $7::bytea[])
         with ordinality as r(segment, page, whole, bit, place, n)
       cross join lateral (
         select bytes from text_page
         where server_id = $1 and epoch = $2 and segment = r.segment and number = r.page offset 0
       ) p
       where case when length(p.bytes) < r.whole then position(r.place in p.bytes) > 0
         else get_bit(substr(p.bytes, r.bit / 8 + 1, 1), r.bit % 8) = 1 end`,
      [
        server,
        epoch,
        bigintArray(some.map(({ segment }) => segment)),
        intArray(some.map(({ bit }) => bit.page)),
        intArray(some.map(({ bit }) => bit.part.pageBytes)),
        intArray(some.map(({ bit }) => bit.bit)),
        byteaArray(some.map(({ bit }) => placeBytesOf(bit))),
      ],
    );
    for (const { n, bytes } of rows) {
      const bit = some[n - 1]?.bit;
      isSet[start + n - 1] =
        bytes === null || (bit !== undefined && isFilterBitSet(bit, { bytes, isCompressed: true }));
    }
  }
  return isSet;
}

/** Reads the slots of segments, by segment, in the order of their ordinals. */
export async function readSlots(
  session: Session,
  { server, epoch }: SegmentScope,
  segments: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  if (segments.length === 0) return new Map();
  const rows = await session.query<{ number: number; slots: Uint8Array }>(
    `select number, slots from text_segment where server_id = $1 and epoch = $2 and number = any($3::int8[])`,
    [server, epoch, bigintArray(segments)],
  );
  return new Map(rows.map(({ number, slots }) => [number, slots]));
}

/** Thresholds and segment sizes of the text index. */
export interface TextIndexSettings {
  /** Servers with fewer messages are not indexed: scanning their texts is fast. */
  readonly serverMessageCountMin: number;
  /** Number of new messages that are indexed together. */
  readonly newMessageCountMin: number;
  /** Messages of a segment. */
  readonly segmentMessageCountMax: number;
}

/** Default settings. */
export const textIndexSettings: TextIndexSettings = {
  serverMessageCountMin: 1000,
  newMessageCountMin: 256,
  segmentMessageCountMax: 2048,
};

/** Writes a batch; returns page 0 if the batch contains it, which belongs to the segment. */
export async function writePages(
  session: Session,
  { server, epoch, number }: SegmentScope & { readonly number: number },
  batch: PageBatch,
): Promise<string> {
  const pages = [...readPageBatch(batch)];
  const stored = pages.filter((page) => page.number > 0);
  if (stored.length > 0) {
    await session.query(
      `insert into text_page (server_id, epoch, segment, number, bytes)
       select $1::bigint, $2::bigint, $3::bigint, p.number, p.bytes from unnest($4::int4[], $5::bytea[]) as p(number, bytes)`,
      [
        server,
        epoch,
        number,
        intArray(stored.map((page) => page.number)),
        byteaArray(stored.map(({ bytes }) => bytes)),
      ],
    );
  }
  const groups = pages.find((page) => page.number === 0);
  return groups === undefined ? "" : Buffer.from(groups.bytes).toString();
}

/** Deletes a segment and its pages, and those of a merged filter that no other segment has. */
export async function removeSegment(session: Session, { server, epoch }: SegmentScope, number: number): Promise<void> {
  const of = [server, epoch, number];
  await session.query("delete from text_page where server_id = $1 and epoch = $2 and segment = $3", of);
  const [removed] = await session.query<{ merged: number | null }>(
    `delete from text_segment where server_id = $1 and epoch = $2 and number = $3 returning merged_filter as merged`,
    of,
  );
  const merged = removed?.merged ?? null;
  if (merged === null) return;
  const [other] = await session.query(
    "select 1 as one from text_segment where server_id = $1 and epoch = $2 and merged_filter = $3 limit 1",
    [server, epoch, merged],
  );
  if (other !== undefined) return;
  await session.query("delete from text_page where server_id = $1 and epoch = $2 and segment = $3", [
    server,
    epoch,
    -merged,
  ]);
}
