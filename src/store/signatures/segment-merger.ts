import { PageBatches, type PageBatch } from "./page-batch.ts";
import {
  addRowPage,
  columnCountPerPage,
  noOrdinal,
  readGroups,
  readOrdinals,
  RowReader,
  rowCountPerPage,
  rowPageNumber,
  writeGroups,
} from "./segment-layout.ts";
import { addOrdinals, type Group, type SegmentPages } from "./segment-layout.ts";
import { addFilters, emptyFilters } from "./segment-filter.ts";

/** Rows copied between two pauses: about a millisecond. */
const rowCountPerPortion = 1024;

/** Segment to be merged. */
export interface MergeSource {
  readonly pages: SegmentPages;
  /** Ordinal in the merged segment for each of its ordinals, −1 where the message is omitted. */
  readonly ordinals: Int32Array;
}

/** Result of merging segments, apart from the pages. */
export interface MergedSegment {
  readonly groupCount: number;
}

interface SourceGroup {
  readonly source: MergeSource;
  readonly place: number;
  readonly group: Group;
}

/**
 * Yields the pages of the segment that replaces others, in portions between which the caller may pause. Columns are placed
 * side by side, so that memory is bounded by one page of the result and one of each source, and the filters.
 */
export function* mergeSegments(sources: readonly MergeSource[]): Generator<readonly PageBatch[], MergedSegment> {
  const batches = new PageBatches();
  const merged = Map.groupBy(
    sources.flatMap((source) => readGroups(source.pages).map((group, place) => ({ source, place, group }))),
    ({ group }) => `${group.field} ${group.exponent}`,
  );
  const lists = [...merged.values()];
  const groups = lists.map((list) => ({
    field: list[0]?.group.field ?? "body",
    exponent: list[0]?.group.exponent ?? 0,
    columnCount: list.reduce((sum, { group }) => sum + group.columnCount, 0),
  }));
  batches.add({ number: 0, bytes: writeGroups(groups) });
  for (const [place, list] of lists.entries()) {
    const group = groups[place];
    if (group === undefined) continue;
    addOrdinals(batches, place, Uint16Array.from(list.flatMap(ordinalsOf)));
    yield* addRows(batches, { place, group, list });
  }
  const filters = emptyFilters();
  for (const { pages } of sources) {
    for (const filter of Object.values(filters)) filter.addAll(pages);
    yield batches.takeFull();
  }
  yield* addFilters(batches, filters);
  yield batches.takeAll();
  return { groupCount: groups.length };
}

/** Returns the ordinals of a source's columns in the merged segment. */
function ordinalsOf({ source, place, group }: SourceGroup): number[] {
  const ordinals: number[] = [];
  for (let page = 0; page * columnCountPerPage < group.columnCount; page += 1) {
    for (const ordinal of readOrdinals(source.pages, place, page)) {
      const next = ordinal === noOrdinal ? -1 : (source.ordinals[ordinal] ?? -1);
      ordinals.push(next < 0 ? noOrdinal : next);
    }
  }
  return ordinals;
}

function* addRows(
  batches: PageBatches,
  merged: { readonly place: number; readonly group: Group; readonly list: readonly SourceGroup[] },
): Generator<readonly PageBatch[]> {
  const { place, group, list } = merged;
  const rowBytes = group.columnCount / 8;
  const perPage = rowCountPerPage(group);
  const readers = list.map((one) => ({
    reader: new RowReader(one.source.pages, one.place, one.group),
    bytes: one.group.columnCount / 8,
  }));
  const rows = new Uint8Array(perPage * rowBytes);
  for (let first = 0; first < 2 ** group.exponent; first += perPage) {
    rows.fill(0);
    let at = 0;
    for (const { reader, bytes } of readers) {
      copyRows(reader, { first, count: perPage }, { rows, at, rowBytes });
      at += bytes;
    }
    addRowPage(batches, { number: rowPageNumber(place, first / perPage), rows, field: group.field });
    if (batches.hasFull || first % rowCountPerPortion === 0) yield batches.takeFull();
  }
}

/** Copies rows of a source to its columns of the merged rows. */
function copyRows(
  reader: RowReader,
  { first, count }: { readonly first: number; readonly count: number },
  target: { readonly rows: Uint8Array; readonly at: number; readonly rowBytes: number },
): void {
  for (let row = 0; row < count; row += 1) {
    const part = reader.row(first + row);
    if (part !== undefined) target.rows.set(part, target.at + row * target.rowBytes);
  }
}
