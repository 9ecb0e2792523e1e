import { takeWork } from "../../core/quarantine.ts";
import type { DueTimeBounds, Lease, PendingWork, WorkClaim, WorkOutcome } from "../leased-queue.ts";
import { claims, type DueRow, type LeasedTable, type QueueDialect } from "./leased-tables.ts";
import { rowsOf, type Query } from "../sql/query.ts";

const headCountMax = 2000;

/** Options of {@link QueueRows}. */
export interface QueueRowsOptions<Row, Item, Outcome, Recorded> {
  /** Columns of claimed work; one must be called "id". The default is "id" and "attempts". */
  readonly columns?: string;
  /** Returns claimed work from its row; by default the row. */
  readonly toItem?: (row: Row) => Item;
  /** Records outcomes, where work is not removed when it is done. */
  readonly record?: (outcomes: readonly Outcome[]) => Query<readonly (Recorded | undefined)[]>;
  /** Pending pieces that are read in the order of time before all keys are visited instead. */
  readonly countMax?: number;
}

/** Statements about the work of one queue, for both databases. Their guarantees are those of `LeasedQueue`. */
export class QueueRows<
  Row extends { readonly id: string },
  Item extends { readonly id: string } = Row,
  Outcome extends Lease = WorkOutcome,
  Recorded = object,
> {
  readonly #table: LeasedTable;
  readonly #dialect: QueueDialect;
  readonly #options: QueueRowsOptions<Row, Item, Outcome, Recorded>;
  readonly #isActive: (key: string) => string;
  readonly #step: string;
  readonly #headCountMax: number;

  constructor(table: LeasedTable, dialect: QueueDialect, options: QueueRowsOptions<Row, Item, Outcome, Recorded> = {}) {
    this.#table = table;
    this.#dialect = dialect;
    this.#options = options;
    this.#isActive = table.mayClaim ?? (() => "true");
    this.#step = table.step ?? table.attempts;
    this.#headCountMax = options.countMax ?? headCountMax;
  }

  /** Returns whether no work is due now or later; takes one step in an index. */
  *isEmpty(): Query<boolean> {
    const rows = yield* rowsOf(`select 1 from ${this.#table.table} where due_at is not null limit 1`);
    return rows.length === 0;
  }

  *listDueKeys(now: number, limit: number): Query<readonly string[]> {
    const { table, key } = this.#table;
    if (key === undefined) {
      const due = yield* rowsOf(`select 1 from ${table} where due_at is not null and due_at <= $1 limit 1`, [now]);
      return due.length > 0 ? [""] : [];
    }
    const { keys, isComplete } = yield* this.#firstKeys(key, { until: now, limit });
    if (isComplete) return keys.map((one) => one.key);
    const rows = yield* rowsOf<{ readonly key: string }>(
      `${this.#walk(key)} select key from first where due_at <= $1 and ${this.#isActive("first.key")}
       order by due_at, key limit cast($2 as integer)`,
      [now, limit],
    );
    return rows.map((row) => row.key);
  }

  *nextDueAt(): Query<number | null> {
    const { table, key } = this.#table;
    const head = `select due_at as "dueAt" from ${table} where due_at is not null order by due_at limit 1`;
    if (key === undefined) return (yield* rowsOf<{ readonly dueAt: number }>(head))[0]?.dueAt ?? null;
    const { keys, isComplete } = yield* this.#firstKeys(key, { until: Number.MAX_VALUE, limit: 1 });
    if (isComplete) return keys[0]?.dueAt ?? null;
    const [next] = yield* rowsOf<{ readonly dueAt: number | null }>(
      `${this.#walk(key)} select min(due_at) as "dueAt" from first where ${this.#isActive("first.key")}`,
    );
    return next?.dueAt ?? null;
  }

  *countPending(): Query<PendingWork> {
    const { table, key } = this.#table;
    const counted = `count(*) as count, min(due_at) as due_at from ${table} where due_at is not null`;
    const pending = key === undefined ? `select ${counted}` : `select ${key} as key, ${counted} group by ${key}`;
    const condition = key === undefined ? "true" : this.#isActive("pending.key");
    const [found] = yield* rowsOf<PendingWork>(
      `select cast(coalesce(sum(count), 0) as bigint) as count, min(due_at) as "oldestDueAt"
       from (${pending}) pending where ${condition}`,
    );
    return { count: found?.count ?? 0, oldestDueAt: found?.oldestDueAt ?? null };
  }

  /** Returns claimed work, in the order of the keys. */
  *claim(claim: WorkClaim): Query<readonly Item[]> {
    const { table, id, idType, attempts, step } = this.#table;
    if (claim.keys.length === 0) return [];
    const due = yield* this.#take(yield* this.#dialect.due(this.#table, claim), claim.now);
    if (due.length === 0) return [];
    const counted = step === undefined ? "" : `, ${step} = ${step} + 1`;
    const { columns = `${id} as id, ${attempts} as attempts`, toItem = (row) => row as unknown as Item } =
      this.#options;
    const ids = due.map((one) => one.id);
    const rows = yield* rowsOf<Row>(
      `update ${table} set ${attempts} = ${attempts} + 1${counted}, ${claims.taken}, due_at = $2, lease = $3
       where ${this.#dialect.isAmong(id, "$1", idType)} returning ${columns}`,
      [this.#dialect.list(ids), claim.leaseEndsAt, claim.lease],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((one) => byId.get(one) ?? []).map(toItem);
  }

  /** Returns the work that may be taken; nodes take suspects independently. */
  *#take(due: readonly DueRow[], now: number): Query<readonly DueRow[]> {
    if (due.every(({ openClaims }) => openClaims === 0)) return due;
    const [running] = yield* rowsOf<{ readonly count: number }>(
      `select count(*) as count from ${this.#table.table} where ${claims.isDead} and due_at > $1`,
      [now],
    );
    return takeWork(due, running?.count ?? 0);
  }

  *extendLeases(leases: readonly Lease[], leaseEndsAt: number): Query<void> {
    // A locked row is being recorded or deleted; waiting for several locks could end in a deadlock.
    yield* this.#changeLeased(leases, { set: "due_at = $3", value: leaseEndsAt });
  }

  *returnClaims(leases: readonly Lease[]): Query<void> {
    const { attempts, step } = this.#table;
    const counted = step === undefined ? "" : `, ${step} = ${step} - 1`;
    const undone = `due_at = claimed_due_at, lease = null, ${attempts} = ${attempts} - 1${counted}, ${claims.returned}`;
    yield* this.#changeLeased(leases, { set: undone });
  }

  *#changeLeased(
    leases: readonly Lease[],
    { set, value }: { readonly set: string; readonly value?: number },
  ): Query<void> {
    const { table, id, idType } = this.#table;
    const { isPair, list, skipLocked } = this.#dialect;
    if (leases.length === 0) return;
    const held = [list(leases.map((one) => one.id)), list(leases.map(({ lease }) => lease))];
    yield* rowsOf(
      `update ${table} set ${set} where ${id} in (
         select ${id} from ${table}
         where ${isPair([id, "lease"], [idType, "text"])} and due_at is not null ${skipLocked})`,
      [...held, ...(value === undefined ? [] : [value])],
    );
  }

  *record(outcomes: readonly Outcome[]): Query<readonly (Recorded | undefined)[]> {
    const { record } = this.#options;
    if (record !== undefined) return yield* record(outcomes);
    return (yield* this.#remove(outcomes as unknown as readonly WorkOutcome[])) as readonly (Recorded | undefined)[];
  }

  /** Records outcomes of work that is removed when it is done. */
  *#remove(outcomes: readonly WorkOutcome[]): Query<readonly (object | undefined)[]> {
    const { table, id, parts, postpones = "" } = this.#table;
    const results: (object | undefined)[] = [];
    for (const { id: work, lease, dueAt, isDeath = false } of outcomes) {
      const names = [work, lease];
      const held = `${id} = $1 and lease = $2`;
      const rows =
        dueAt === null
          ? yield* rowsOf(`delete from ${table} where ${held} returning 1 as one`, names)
          : yield* rowsOf(
              `update ${table} set due_at = $3, lease = null${postpones}${isDeath ? "" : `, ${claims.ended}`}
               where ${held} returning 1 as one`,
              [...names, dueAt],
            );
      if (dueAt === null && rows.length > 0 && parts !== undefined) {
        yield* rowsOf(`delete from ${parts.table} where ${parts.column} = $1`, [work]);
      }
      results.push(rows.length > 0 ? {} : undefined);
    }
    return results;
  }

  *boundDueTimes({ now, pausesMsMax, leaseMsMax }: DueTimeBounds): Query<number> {
    const pause = this.#dialect.memberAt("$2", this.#step);
    const bound = `$1 + case when lease is null then ${pause} else $3 end`;
    const rows = yield* rowsOf(
      `update ${this.#table.table} set due_at = ${bound} where due_at > ${bound} returning 1 as one`,
      [now, this.#dialect.list(pausesMsMax), leaseMsMax],
    );
    return rows.length;
  }

  *releaseLeases(now: number): Query<void> {
    yield* rowsOf(`update ${this.#table.table} set due_at = $1, lease = null where lease is not null`, [now]);
  }

  *forgiveClaims(ids: readonly string[]): Query<void> {
    const { table, id, idType } = this.#table;
    yield* rowsOf(
      `update ${table} set ${claims.returned} where ${this.#dialect.isAmong(id, "$1", idType)} and quarantined_at is null`,
      [this.#dialect.list(ids)],
    );
  }

  /** Walks the keys of pending work by the index, without reading the work of each. */
  #walk(key: string): string {
    const { table } = this.#table;
    const due = "due_at is not null";
    return `
      with recursive queued (key) as (
        select * from (select ${key} from ${table} where ${due} order by ${key} limit 1) f
        union all
        select (select d.${key} from ${table} d where d.${due} and d.${key} > queued.key order by d.${key} limit 1)
        from queued where queued.key is not null),
      first (key, due_at) as (
        select key, (select d.due_at from ${table} d where d.${key} = queued.key and d.${due} order by d.due_at limit 1)
        from queued where key is not null)`;
  }

  /**
   * Returns the active keys of the first work in the order of time, at most `limit`; not complete when there may be more of
   * them. Receivers that are down are many, and their work is due later: most calls need no visit to each.
   */
  *#firstKeys(
    key: string,
    { until, limit }: { readonly until: number; readonly limit: number },
  ): Query<{
    readonly keys: readonly { readonly key: string; readonly dueAt: number }[];
    readonly isComplete: boolean;
  }> {
    const rows = yield* rowsOf<{ readonly key: string | null; readonly dueAt: number; readonly rowCount: number }>(
      `with head as materialized (
         select ${key} as key, due_at from ${this.#table.table} where due_at is not null and due_at <= $1
         order by due_at, ${key} limit ${this.#headCountMax}),
       first as (select key, min(due_at) as due_at from head group by key)
       select active.key as key, active.due_at as "dueAt", counted.count as "rowCount"
       from (select count(*) as count from head) counted
       left join (select * from first where ${this.#isActive("first.key")}
                  order by due_at, key limit cast($2 as integer)) active on true
       order by active.due_at, active.key`,
      [until, limit],
    );
    const keys = rows.flatMap(({ key: name, dueAt }) => (name === null ? [] : [{ key: name, dueAt }]));
    const isComplete = keys.length >= limit || (rows[0]?.rowCount ?? 0) < this.#headCountMax;
    return { keys, isComplete };
  }
}
