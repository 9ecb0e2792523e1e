import { idToBytes } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { storedMarksOf } from "../../mark-store.ts";
import { wholeMessageCountMax } from "../../store.ts";
import type { WholeMessage } from "../../store.ts";
import { uuidArray } from "../connection/arrays.ts";
import { recordRows } from "../account/records.ts";
import { readAnnotation } from "../../records/annotation-rows.ts";
import { runOn } from "../connection/dialect.ts";
import { ChunkReads, readPart } from "../content/content.ts";
import type { ContentPart } from "../content/content.ts";
import type { Database } from "../connection/database.ts";
import { serverNumberOf, slotBytesOf, slotOf } from "./id-slots.ts";
import type { ExternalContent } from "../content/external-content.ts";
import { inOrder } from "./pages.ts";
import { sizeOf } from "../content/part-size.ts";

interface WholeRow {
  readonly epoch: number;
  readonly slot: string;
  readonly id: MessageId;
  readonly summary: string;
  readonly detail: Buffer;
  readonly raw: Buffer | null;
  readonly detail_size: number | null;
  readonly raw_size: number | null;
  readonly detail_chunk_count: number;
  readonly raw_chunk_count: number;
}

const beforeAll = "00000000-0000-0000-0000-000000000000";

/** Rows above a slot, while the rows before them are within the size bound. */
const behind = `
  select epoch, slot, id, summary, detail, raw, detail_size, raw_size, detail_chunk_count, raw_chunk_count
  from (
    select m.*, sum(${sizeOf("detail")} + ${sizeOf("raw")})
      over (order by slot rows between unbounded preceding and 1 preceding) as before
    from (
      select * from message
      where server_id = $1 and epoch = (select epoch from server where server_id = $1) and slot > $2
      order by slot limit $3
    ) m
  ) m where before is null or before < $4 order by slot`;

/** Reads whole messages along the primary key. */
export class WholeMessages {
  readonly #database: Database;
  readonly #outside: ExternalContent | null;

  constructor(database: Database, outside: ExternalContent | null) {
    this.#database = database;
    this.#outside = outside;
  }

  /** Implements `measureMessages` of the contract. */
  async measure(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]> {
    const rows = await this.#database.query<{ id: MessageId; bytes: number }>(
      `select id, ${sizeOf("detail")} + ${sizeOf("raw")} as bytes from message
       where server_id = $1 and epoch = (select epoch from server where server_id = $1) and slot = any($2::uuid[])`,
      [serverNumberOf(server), uuidArray(ids.map((id) => slotBytesOf(idToBytes(id))))],
    );
    const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
    return ids.map((id) => sizes.get(id) ?? 0);
  }

  /** Implements `measureRaw` of the contract; `open` returns the size of content whose chunks have to be read for it. */
  async measureRaw(
    server: ServerId,
    ids: readonly MessageId[],
    open: (id: MessageId) => Promise<number>,
  ): Promise<readonly number[]> {
    const rows = await this.#database.query<{ id: MessageId; bytes: number | null }>(
      `select id, case when raw_size is null and raw_chunk_count > 0 then null
         else coalesce(raw_size, octet_length(raw), 0) end as bytes
       from message
       where server_id = $1 and epoch = (select epoch from server where server_id = $1) and slot = any($2::uuid[])`,
      [serverNumberOf(server), uuidArray(ids.map((id) => slotBytesOf(idToBytes(id))))],
    );
    const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
    const measured: number[] = [];
    for (const id of ids) {
      const size = sizes.get(id);
      measured.push(size === null ? await open(id) : (size ?? 0));
    }
    return measured;
  }

  /** Implements `readMessages` of the contract. */
  async behind(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]> {
    for (let from = after === null ? beforeAll : slotOf(after); ;) {
      const parameters = [serverNumberOf(server), from, wholeMessageCountMax, bytesMax];
      const rows = await this.#database.read(inOrder, (session) => session.query<WholeRow>(behind, parameters));
      const messages: WholeMessage[] = [];
      const last = rows.at(-1);
      const annotated = await this.#measureAnnotations(serverNumberOf(server), rows);
      const readMarks = recordRows.marks.readMarks(
        server,
        rows.map(({ id }) => id),
      );
      const marked = new Map((await runOn(this.#database, readMarks)).map((one) => [one.id, storedMarksOf(one)]));
      let annotationBytes = 0;
      for (const row of rows) {
        const bytes = annotated.get(row.slot);
        annotationBytes += bytes ?? 0;
        if (messages.length > 0 && annotationBytes > bytesMax) break;
        const marks = marked.get(row.id);
        const whole = await this.#read(serverNumberOf(server), row, bytes !== undefined);
        messages.push(...whole.map((message) => (marks === undefined ? message : { ...message, marks })));
      }
      if (messages.length > 0 || last === undefined) return messages;
      from = last.slot;
    }
  }

  /** Returns the sizes of the annotations of messages before compression, by slot; messages without annotations are absent. */
  async #measureAnnotations(server: number, messages: readonly WholeRow[]): Promise<ReadonlyMap<string, number>> {
    const [first, last] = [messages[0], messages.at(-1)];
    if (first === undefined || last === undefined) return new Map();
    const rows = await this.#database.query<{ slot: string; bytes: number }>(
      `select slot, sum(size)::int8 as bytes from annotation
       where server_id = $1 and epoch = $2 and slot between $3 and $4 group by slot`,
      [server, first.epoch, first.slot, last.slot],
    );
    return new Map(rows.map(({ slot, bytes }) => [slot, bytes]));
  }

  /** Returns nothing when the message was deleted while its chunks were read. */
  async #read(server: number, row: WholeRow, isAnnotated: boolean): Promise<readonly WholeMessage[]> {
    const { epoch, slot, id, summary } = row;
    const chunks = new ChunkReads({ session: this.#database, outside: this.#outside }, { server, epoch, slot });
    const part = async (name: ContentPart): Promise<Uint8Array | undefined> => {
      const column = name === "raw" ? (row.raw ?? row.detail) : row.detail;
      const { detail_size, raw_size } = row;
      const layout = { column, detail_size, raw_size, is_together: row.raw === null };
      return await readPart({ ...layout, chunk_count: row[`${name}_chunk_count`] }, name, chunks);
    };
    const [detailJson, raw] = [await part("detail"), await part("raw")];
    if (detailJson === undefined || raw === undefined) return [];
    const whole = { id, summaryJson: Buffer.from(summary), detailJson, raw };
    if (!isAnnotated) return [whole];
    const annotations = await runOn(this.#database, recordRows.annotations.listAnnotations(id));
    return [{ ...whole, annotations: await Promise.all(annotations.map(readAnnotation)) }];
  }
}
