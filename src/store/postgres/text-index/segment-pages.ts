import { readPageBatch, type PageBatch } from "../../signatures/page-batch.ts";
import { byteaArray, intArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import type { SegmentScope } from "./segments.ts";

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
