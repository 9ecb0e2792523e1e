import type { Change, ChangeKind } from "../../core/events.ts";
import type { ServerId } from "../../core/ids.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Number of last changes of a server that its journal always holds. */
const changeCountKept = 10_000;
/** Number of last changes that it holds at most of a server whose changes wait to become callbacks. */
const changeCountUnprocessedMax = 1_000_000;
/** Number of changes between two trims of a journal. */
const changeCountBetweenTrims = 1000;
/** Number of changes deleted in one step. */
const changeCountPerStep = 1000;

/** Stored numbers; the order is part of the schema. */
const kinds: readonly ChangeKind[] = ["received", "sent", "deleted", "emptied", "failed", "marked"];

/** Returns the stored number of a kind of change. */
export function kindNumberOf(kind: ChangeKind): number {
  return kinds.indexOf(kind);
}

/** Row of a journal. */
export interface ChangeRow {
  readonly sequence: number;
  readonly kind: number;
  readonly id: string | Uint8Array | null;
}

/** Returns the change of a row. */
export function toChange({ fromSlot }: SqlDialect, row: ChangeRow): Change {
  const kind = kinds[row.kind];
  if (kind === undefined) throw new Error(`unknown kind of change ${row.kind}`);
  return { sequence: row.sequence, kind, id: row.id === null ? null : fromSlot(row.id) };
}

/** Columns of a relation that is joined with the changes `c` of the server `s`. */
export interface JoinedColumns {
  readonly columns: string;
  readonly join: string;
}

/** Returns the statement of {@link readChanges}: always one row while the server exists. */
export function changesAfter(
  { serverColumn, serverKey, serverNumber }: SqlDialect,
  { columns, join }: JoinedColumns = { columns: "", join: "" },
): string {
  const number = serverColumn === serverKey ? "$1" : `(select ${serverNumber} from server where ${serverKey} = $1)`;
  return `select s.sequence as last, c.sequence, c.kind, c.id${columns}
    from server s left join (select sequence, kind, id from change
      where ${serverColumn} = ${number} and sequence > $2 order by sequence limit cast($3 as integer)) c on true
    ${join} where s.${serverKey} = $1 order by c.sequence`;
}

/** Reads the changes after a sequence number; undefined when the journal does not hold all of them, or has no such number yet. */
export function* readChanges<Row extends ChangeRow>(
  { toServer }: SqlDialect,
  sql: string,
  { server, sequence, limit }: { readonly server: ServerId; readonly sequence: number; readonly limit: number },
): Query<readonly Row[] | undefined> {
  const rows = yield* rowsOf<{ readonly last: number } & Row>(sql, [toServer(server), sequence, limit]);
  const last = rows[0]?.last ?? 0;
  if (sequence > last) return undefined;
  if (sequence === last || limit === 0) return [];
  return rows[0]?.sequence === sequence + 1 ? rows : undefined;
}

/** Statements about changes. Their guarantees are those of `MessageStore`. */
export class ChangeRows extends DialectRows {
  readonly #after: string = changesAfter(this.dialect);

  *listChanges(server: ServerId, sequence: number, limit: number): Query<readonly Change[] | undefined> {
    const rows = yield* readChanges(this.dialect, this.#after, { server, sequence, limit });
    return rows?.map((row) => toChange(this.dialect, row));
  }
}

/** Journals of changes that may be longer than necessary, and the statements that trim them. */
export class JournalTrims {
  readonly #cursor: string;
  readonly #ofServer: string;
  /** Servers whose journal can be trimmed, with the last number to delete. */
  readonly #overlong = new Map<number, number>();

  constructor({ serverColumn, serverNumber }: SqlDialect) {
    this.#cursor = `select sequence from callback_cursor where server = (select id from server where ${serverNumber} = $1)`;
    this.#ofServer = `from change where ${serverColumn} = $1`;
  }

  /** Records the sequence number of a server, so that its journal is trimmed in time. */
  notice(server: number, { before, after }: { readonly before: number; readonly after: number }): void {
    const passed = Math.floor(after / changeCountBetweenTrims) * changeCountBetweenTrims;
    if (passed <= before || passed <= changeCountKept) return;
    this.#overlong.set(server, Math.max(passed - changeCountKept, this.#overlong.get(server) ?? 0));
  }

  /** Whether a journal can be trimmed. */
  get isOverlong(): boolean {
    return this.#overlong.size > 0;
  }

  /** Deletes some of the oldest changes of one server, except those that were not turned into callbacks yet. */
  *trimSome(): Query<void> {
    const [next] = this.#overlong;
    if (next === undefined) return;
    const [server, upTo] = next;
    // What is noticed meanwhile is noticed anew, even for the same number: the cursor may have moved after it was read.
    this.#overlong.delete(server);
    let isTrimmed = false;
    try {
      const [cursor] = yield* rowsOf<Pick<ChangeRow, "sequence">>(this.#cursor, [server]);
      const [oldest] = yield* rowsOf<{ readonly sequence: number | null }>(
        `select min(sequence) as sequence ${this.#ofServer}`,
        [server],
      );
      const unprocessedUpTo = upTo + changeCountKept - changeCountUnprocessedMax;
      const end = Math.max(unprocessedUpTo, Math.min(upTo, cursor?.sequence ?? upTo));
      const stepEnd = Math.min(end, (oldest?.sequence ?? end) + changeCountPerStep - 1);
      yield* rowsOf(`delete ${this.#ofServer} and sequence <= $2`, [server, stepEnd]);
      isTrimmed = stepEnd === end;
    } finally {
      if (!isTrimmed) this.#overlong.set(server, Math.max(upTo, this.#overlong.get(server) ?? 0));
    }
  }
}
