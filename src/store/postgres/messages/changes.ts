import type { Change, ChangeKind } from "../../../core/change.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverNumberOf } from "./id-slots.ts";

/** How many of a server's last changes are always remembered. */
const changeCountKept = 10_000;
/** A server's journal is cut once in so many changes. */
const changeCountBetweenCuts = 1000;

/** Stored numbers; the order is part of the schema. */
const kinds: readonly ChangeKind[] = ["received", "sent", "deleted", "emptied", "failed"];

interface ChangeRow {
  readonly sequence: number;
  readonly kind: number;
  readonly id: MessageId | null;
}

/** The number that stands for a kind of change in the journal. */
export function kindNumberOf(kind: ChangeKind): number {
  return kinds.indexOf(kind);
}

/** Writes the next change of a server whose row the transaction holds, and answers its number. */
export async function appendChange(
  session: Session,
  server: number,
  { kind, id }: Pick<Change, "kind" | "id">,
): Promise<number> {
  const [row] = await session.query<{ sequence: number }>(
    `with advanced as (update server set sequence = sequence + 1 where server_id = $1 returning sequence)
     insert into change (server_id, sequence, kind, id) select $1, sequence, $2, $3::uuid from advanced
     returning sequence`,
    [server, kindNumberOf(kind), id],
  );
  if (row === undefined) throw new Error("a server vanished within a transaction");
  return row.sequence;
}

/** The changes of servers, numbered without gaps in the order of their commits. */
export class Changes {
  readonly #database: Database;
  /** Servers whose journal may be longer than it has to be, with the last number to forget. */
  readonly #overlong = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** As `listChanges` of the contract. */
  async list(id: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined> {
    const rows = await this.#database.query<{ last: number } & Partial<ChangeRow>>(
      `select s.sequence as last, c.sequence, c.kind, c.id
       from server s left join lateral
         (select sequence, kind, id from change where server_id = $1 and sequence > $2 order by sequence limit $3) c on true
       where s.server_id = $1 order by c.sequence`,
      [serverNumberOf(id), sequence, limit],
    );
    const last = rows[0]?.last ?? 0;
    if (sequence > last) return undefined;
    if (sequence === last || limit === 0) return [];
    const changes = rows.map((row) => toChange(row as ChangeRow));
    return changes[0]?.sequence === sequence + 1 ? changes : undefined;
  }

  /** Takes note of how far a server has come, so that its journal is cut in time. */
  notice(server: number, { before, after }: { readonly before: number; readonly after: number }): void {
    const passed = Math.floor(after / changeCountBetweenCuts) * changeCountBetweenCuts;
    if (passed > before && passed > changeCountKept) this.#overlong.set(server, passed - changeCountKept);
  }

  /** Whether some changes may be forgotten. */
  get isOverlong(): boolean {
    return this.#overlong.size > 0;
  }

  /** Forgets changes of one server that need not be remembered. */
  async forgetSome(): Promise<void> {
    const [next] = this.#overlong;
    if (next === undefined) return;
    const [server, upTo] = next;
    await this.#database.query("delete from change where server_id = $1 and sequence <= $2", [server, upTo]);
    if (this.#overlong.get(server) === upTo) this.#overlong.delete(server);
  }
}

function toChange(row: ChangeRow): Change {
  const kind = kinds[row.kind];
  if (kind === undefined) throw new Error(`unknown kind of change ${row.kind}`);
  return { sequence: row.sequence, kind, id: row.id };
}
