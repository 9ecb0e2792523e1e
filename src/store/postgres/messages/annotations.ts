import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { requireAnnotationSize, type Annotation, type AnnotationStore } from "../../annotation-store.ts";
import { compressAsync, decompressAsync } from "../../compression.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverNumberOf, slotOf } from "./id-slots.ts";

interface AnnotationRow {
  readonly kind: Annotation["kind"];
  readonly size: number;
  readonly bytes: Buffer;
}

/** Creates the store of annotations. */
export function createAnnotationStore(database: Database): AnnotationStore {
  return {
    putAnnotation: async (message, annotation) => {
      requireAnnotationSize(annotation);
      return await database.transact(async (session) => await putAnnotation(session, message, annotation));
    },
    getAnnotation: async (message, kind) => {
      const [row] = await database.query<AnnotationRow>(
        `select a.kind, a.size, a.bytes from annotation a
         join message m on m.server_id = a.server_id and m.epoch = a.epoch and m.slot = a.slot
         where a.server_id = $1 and a.epoch = (select epoch from server where server_id = $1) and a.slot = $2
           and a.kind = $3 and m.id = $4`,
        [serverNumberOf(decodeMessageId(message).server), slotOf(message), kind, message],
      );
      return row === undefined ? undefined : await jsonOf(row);
    },
  };
}

/** Stores an annotation in a transaction; returns false when there is no such message. */
export async function putAnnotation(
  session: Session,
  message: MessageId,
  { kind, json }: Annotation,
): Promise<boolean> {
  const server = serverNumberOf(decodeMessageId(message).server);
  const slot = slotOf(message);
  // Locked as by deletions, which wait and then delete this annotation too.
  const [owner] = await session.query<{ epoch: number }>("select epoch from server where server_id = $1 for update", [
    server,
  ]);
  if (owner === undefined) return false;
  const place = [server, owner.epoch, slot];
  const found = await session.query(
    "select 1 from message where server_id = $1 and epoch = $2 and slot = $3 and id = $4",
    [...place, message],
  );
  if (found.length === 0) return false;
  const [before] = await session.query<{ size: number }>(
    "select size from annotation where server_id = $1 and epoch = $2 and slot = $3 and kind = $4",
    [...place, kind],
  );
  const { bytes, size } = await compressAsync(Buffer.from(json));
  await session.query(
    `insert into annotation (server_id, epoch, slot, kind, size, bytes) values ($1, $2, $3, $4, $5, $6)
     on conflict (server_id, epoch, slot, kind) do update set size = excluded.size, bytes = excluded.bytes`,
    [...place, kind, size, bytes],
  );
  await session.query("update server set byte_count = byte_count + $2::bigint where server_id = $1", [
    server,
    (size ?? 0) - (before?.size ?? 0),
  ]);
  return true;
}

/** Range of messages of one server, from a slot to another, both included. */
export interface MessageRange {
  readonly server: number;
  readonly epoch: number;
  readonly first: string;
  readonly last: string;
}

/** Returns the sizes of the annotations of messages before compression, by slot; messages without annotations are absent. */
export async function measureAnnotations(
  session: Session,
  { server, epoch, first, last }: MessageRange,
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.query<{ slot: string; bytes: number }>(
    `select slot, sum(size)::int8 as bytes from annotation
     where server_id = $1 and epoch = $2 and slot between $3 and $4 group by slot`,
    [server, epoch, first, last],
  );
  return new Map(rows.map(({ slot, bytes }) => [slot, bytes]));
}

/** Returns the annotations of the message in a slot. */
export async function listAnnotations(
  session: Session,
  { server, epoch, slot }: { readonly server: number; readonly epoch: number; readonly slot: string },
): Promise<readonly Annotation[]> {
  const rows = await session.query<AnnotationRow>(
    "select kind, size, bytes from annotation where server_id = $1 and epoch = $2 and slot = $3 order by kind",
    [server, epoch, slot],
  );
  return await Promise.all(rows.map(async (row) => ({ kind: row.kind, json: await jsonOf(row) })));
}

/**
 * Removes the annotations of deleted messages, after their rows in the same transaction. `where` is a condition on the
 * slot, with the third parameter. Returns the bytes that they counted for.
 */
export async function removeAnnotations(
  session: Session,
  where: "slot = any($3::uuid[])" | "slot <= $3",
  parameters: readonly unknown[],
): Promise<number> {
  const removed = await session.query<Pick<AnnotationRow, "size">>(
    `delete from annotation where server_id = $1 and epoch = $2 and ${where} returning size`,
    parameters,
  );
  return removed.reduce((sum, { size }) => sum + size, 0);
}

async function jsonOf({ size, bytes }: AnnotationRow): Promise<string> {
  return Buffer.from(await decompressAsync({ bytes, size })).toString();
}
