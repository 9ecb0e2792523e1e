import { decodeMessageId, messageRangeOf, type AttachmentId, type MessageId, type ServerId } from "../../core/ids.ts";
import { layoutOf, type ContentLayout, type ContentPart } from "../content/layout.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { wholeMessageCountMax } from "../store.ts";

/** Parts of content that are read one by one. */
export type ReadPart = Exclude<ContentPart, "body">;

/** Stored numbers of the parts. */
export const partNumbers: Readonly<Record<ReadPart, number>> = { detail: 0, raw: 1 };

/** Tables of content of a database. */
export interface ContentTables {
  /** Messages, `m`, with their content. */
  readonly from: string;
  /** Alias of the table of content. */
  readonly alias: "c" | "m";
  readonly bodySize: string;
  readonly detailChunkCount: string;
  /** Further columns, each with a comma behind it, by which the caller checks rows. */
  readonly checked: string;
  /** Size of a column up to which it is read at once, larger ones by {@link ContentRows.readContent}; null: all are. */
  readonly columnBytesMax: number | null;
  /** Returns one chunk: `$1` server, `$2` slot, `$3` number of the part, `$4` position. */
  readonly chunk: string;
}

/** Part of a message as it is stored. */
export interface ContentRow extends ContentLayout {
  /** Number of the chunks that the part is in; 0 for a column. */
  readonly chunkCount: number;
  /** Null for a column that is not read at once. */
  readonly column: Uint8Array | null;
}

/** Whole message as it is stored. */
export interface WholeRow extends ContentLayout {
  readonly id: MessageId;
  readonly summary: string | Uint8Array;
  readonly detail: Uint8Array;
  /** Null where it follows the detail in the same frame. */
  readonly raw: Uint8Array | null;
  readonly detailChunkCount: number;
  readonly rawChunkCount: number;
  readonly hasAnnotations: boolean;
}

/** Sizes of the parts of a message before compression. */
export type ContentSizes = Readonly<Record<ReadPart, number>>;

interface MeasuredRow {
  readonly id: string | Uint8Array;
  readonly bytes: number;
  /** Null where there are none. */
  readonly annotationBytes: number | null;
}

const unboundedBytes = 2 ** 31 - 1;

/** Statements about the content of messages. */
export class ContentRows extends DialectRows {
  readonly #tables: ContentTables;
  readonly #ofServer: string;
  readonly #part: Readonly<Record<ReadPart, string>>;
  readonly #whole: string;
  readonly #measured: string;

  constructor(dialect: SqlDialect, tables: ContentTables) {
    super(dialect);
    this.#tables = tables;
    const { ofEpoch, serverKey, slotColumn, slotIn } = dialect;
    const { alias: c, checked, bodySize, detailChunkCount, columnBytesMax } = tables;
    this.#ofServer = `from ${tables.from} where ${ofEpoch("m", `(select epoch from server where ${serverKey} = $1)`)}`;
    const layout = `${checked}${layoutOf(`${c}.`, bodySize)}`;
    // PostgreSQL plans each statement anew, so that a condition that always holds takes a tenth of it.
    const within = (column: ReadPart): string =>
      columnBytesMax === null ? `${c}.${column}` : `case when length(${c}.${column}) <= $4 then ${c}.${column} end`;
    const select = (chunkCount: string, column: string): string =>
      `select ${layout}, ${chunkCount} as "chunkCount", ${column} as "column"
       ${this.#ofServer} and m.${slotColumn} = ${slotIn("$2")} and m.id = ${slotIn("$3")}`;
    this.#part = {
      detail: select(detailChunkCount, within("detail")),
      raw: select(
        `${c}.raw_chunk_count`,
        `case when ${c}.raw is null then ${within("detail")} else ${within("raw")} end`,
      ),
    };
    this.#whole = `select m.id, m.summary, ${layout}, ${c}.detail, ${c}.raw, ${detailChunkCount} as "detailChunkCount",
        ${c}.raw_chunk_count as "rawChunkCount"
      ${this.#ofServer} and m.${slotColumn} > ${slotIn("$2")} and m.${slotColumn} <= ${slotIn("$3")}
      order by m.${slotColumn}`;
    this.#measured = `select m.id, ${sizeOf(c, "detail")} + ${sizeOf(c, "raw")} as bytes,
        (select sum(a.size) from annotation a
         where ${ofEpoch("a", "m.epoch")} and a.${slotColumn} = m.${slotColumn}) as "annotationBytes"
      ${this.#ofServer} and m.${slotColumn} > ${slotIn("$2")} order by m.${slotColumn} limit cast($3 as integer)`;
  }

  /** Returns a part of a message; undefined when there is no such message. */
  *findContent(id: MessageId, part: ReadPart): Query<ContentRow | undefined> {
    return yield* this.#find(id, part, this.#tables.columnBytesMax);
  }

  /** As {@link findContent}, with a column of any size. */
  *readContent(id: MessageId, part: ReadPart): Query<ContentRow | undefined> {
    return yield* this.#find(id, part, this.#tables.columnBytesMax && unboundedBytes);
  }

  *#find(id: MessageId, part: ReadPart, columnBytesMax: number | null): Query<ContentRow | undefined> {
    const { toServer, slotOf } = this.dialect;
    const place = [toServer(decodeMessageId(id).server), slotOf(id), id];
    const values = columnBytesMax === null ? place : [...place, columnBytesMax];
    const [row] = yield* rowsOf<ContentRow>(this.#part[part], values);
    return row;
  }

  /** Returns a chunk of a part as it is stored; undefined when the message was deleted. */
  *readChunk(id: MessageId, part: ReadPart, at: number): Query<Uint8Array | undefined> {
    const { toServer, slotOf } = this.dialect;
    const values = [toServer(decodeMessageId(id).server), slotOf(id), partNumbers[part], at];
    const [row] = yield* rowsOf<{ readonly bytes: Uint8Array }>(this.#tables.chunk, values);
    return row?.bytes;
  }

  /** Returns the sizes of messages of a server, in the order of the ids; 0 for those that do not exist. */
  *measureContent(server: ServerId, ids: readonly MessageId[]): Query<readonly ContentSizes[]> {
    const { toServer, slotColumn, slotOf, fromSlot, isAmong, list } = this.dialect;
    const { alias } = this.#tables;
    const rows = yield* rowsOf<ContentSizes & Pick<MeasuredRow, "id">>(
      `select m.id, ${sizeOf(alias, "detail")} as detail, ${sizeOf(alias, "raw")} as raw
       ${this.#ofServer} and ${isAmong(`m.${slotColumn}`, "$2", "slot")}`,
      [toServer(server), list(ids.map(slotOf))],
    );
    const sizes = new Map(rows.map(({ id, detail, raw }) => [fromSlot(id), { detail, raw }]));
    return ids.map((id) => sizes.get(id) ?? { detail: 0, raw: 0 });
  }

  /** Returns the message of an attachment id. */
  *findOwner(id: AttachmentId): Query<MessageId | undefined> {
    const { toServer, slotColumn, slotIn, fromSlot } = this.dialect;
    const { first, last } = messageRangeOf(id);
    const [row] = yield* rowsOf<Pick<MeasuredRow, "id">>(
      `select m.id ${this.#ofServer} and m.${slotColumn} between ${slotIn("$2")} and ${slotIn("$3")}`,
      [toServer(decodeMessageId(id).server), first, last],
    );
    return row && fromSlot(row.id);
  }

  /**
   * Returns messages of a server behind an id, in the order of their ids: at most {@link wholeMessageCountMax}, while those
   * before, with their annotations, have less than `bytesMax`.
   */
  *readWhole(server: ServerId, after: MessageId, bytesMax: number): Query<readonly WholeRow[]> {
    const { toServer, slotOf, fromSlot } = this.dialect;
    const place = [toServer(server), slotOf(after)];
    const measured = yield* rowsOf<MeasuredRow>(this.#measured, [...place, wholeMessageCountMax]);
    let sizeBytes = 0;
    const chosen = measured.filter(({ bytes, annotationBytes }) => {
      const before = sizeBytes;
      sizeBytes += bytes + (annotationBytes ?? 0);
      return before === 0 || before < bytesMax;
    });
    const last = chosen.at(-1);
    if (last === undefined) return [];
    const annotated = new Map(chosen.map(({ id, annotationBytes }) => [fromSlot(id), annotationBytes !== null]));
    const rows = yield* rowsOf<WholeRow>(this.#whole, [...place, slotOf(fromSlot(last.id))]);
    return rows.map((row) => {
      const id = fromSlot(row.id);
      return { ...row, id, hasAnnotations: annotated.get(id) === true };
    });
  }
}

function sizeOf(alias: string, part: ReadPart): string {
  return `coalesce(${alias}.${part}_size, 0)`;
}
