import { PageBatches } from "../../signatures/page-batch.ts";
import { filterPageNumbers, SegmentFilter } from "../../signatures/segment-filter.ts";
import { bigintArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import { writePages } from "./segment-pages.ts";
import type { SegmentScope } from "./segments.ts";

/** Segments whose filters of subjects are merged; with many more, a merged filter would exclude few terms. */
const segmentCountPerFilter = 16;

/**
 * Merges the filters of subjects of the oldest segments that have none in common yet, so that a search in a large server reads
 * one filter for many segments. Small segments are left out, because they will be replaced. Returns false when too few are left.
 */
export async function mergeFilters(
  session: Session,
  scope: SegmentScope,
  segmentMessageCountMax: number,
): Promise<boolean> {
  const of = [scope.server, scope.epoch];
  const rows = await session.query<{ number: number }>(
    `select number from text_segment
     where server_id = $1 and epoch = $2 and merged_filter is null and (is_full or size * 2 > $3)
     order by number limit ${segmentCountPerFilter}`,
    [...of, segmentMessageCountMax],
  );
  const [oldest] = rows;
  if (oldest === undefined || rows.length < segmentCountPerFilter) return false;
  const filter = new SegmentFilter("subject");
  for (const { number } of rows) await addFilter(session, scope, { filter, number });
  const batches = new PageBatches();
  for (const page of filter.pages()) if (page !== undefined) batches.add(page);
  for (const batch of batches.takeAll()) await writePages(session, { ...scope, number: -oldest.number }, batch);
  const numbers = bigintArray(rows.map(({ number }) => number));
  await session.query(
    "update text_segment set merged_filter = $3 where server_id = $1 and epoch = $2 and number = any($4::int8[])",
    [...of, oldest.number, numbers],
  );
  await session.query("update text_progress set version = version + 1 where server_id = $1", [scope.server]);
  return true;
}

/** Adds the filter of one segment. */
async function addFilter(
  session: Session,
  { server, epoch }: SegmentScope,
  { filter, number }: { readonly filter: SegmentFilter; readonly number: number },
): Promise<void> {
  const { first, end } = filterPageNumbers("subject");
  const rows = await session.query<{ number: number; bytes: Uint8Array }>(
    `select number, bytes from text_page
     where server_id = $1 and epoch = $2 and segment = $3 and number >= $4 and number < $5`,
    [server, epoch, number, first, end],
  );
  const pages = new Map(rows.map((row) => [row.number, row.bytes]));
  filter.addAll({ numbers: () => [...pages.keys()], read: (page) => pages.get(page) });
}
