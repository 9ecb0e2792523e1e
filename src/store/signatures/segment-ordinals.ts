import type { PageBatches } from "./page-batch.ts";
import { columnCountPerPage, ordinalPageNumber } from "./segment-layout.ts";

/** Writes the ordinal table of a group: the ordinal of each column. */
export function addOrdinals(batches: PageBatches, place: number, table: Uint16Array): void {
  for (let page = 0; page * columnCountPerPage < table.length; page += 1) {
    const part = table.subarray(page * columnCountPerPage, (page + 1) * columnCountPerPage);
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    batches.add({ number: ordinalPageNumber(place, page), bytes });
  }
}
