import { notFound, Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type {
  CallbackStore,
  CallbackTarget,
  LaggingServer,
  NewTarget,
  TargetChange,
  TargetKind,
} from "../callback-store.ts";
import { lockServer, type JournalRows } from "../records/server-position.ts";
import { DialectRows, type ForEachRow, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Removed target: its server and, when that has no target any more, the number of the server's last change. */
export interface RemovedTarget {
  readonly server: ServerId;
  readonly sequence: number | null;
}

const selected = `select id, server, kind, shape, settings as "settingsJson", sealed_secrets as "sealedSecrets", state,
  state_reason as "stateReason", since_sequence as "sinceSequence", version, created_at as "createdAt" from callback_target`;

/** Statements about targets of callbacks and cursors of their servers. Their guarantees are those of `CallbackStore`. */
export class TargetRows extends DialectRows {
  readonly #journal: JournalRows;
  readonly #failures = new TargetFailures(this.dialect);
  readonly #purge: ForEachRow = this.dialect.forEachRow({ target: "text" }, ({ of, from }) =>
    this.dialect.insertNew("callback_purge (target)", `select ${of("target")} ${from}`),
  );

  constructor(dialect: SqlDialect, journal: JournalRows) {
    super(dialect);
    this.#journal = journal;
  }

  *listTargets(server: ServerId, kind?: TargetKind): Query<readonly CallbackTarget[]> {
    const [ofKind, values] = kind === undefined ? ["", []] : ["and kind = $2", [kind]];
    const rows = yield* rowsOf<CallbackTarget>(
      `${selected} where server = $1 ${ofKind} order by created_at, ${this.dialect.name === "sqlite" ? "number" : "id"}`,
      [server, ...values],
    );
    return rows.map(toTarget);
  }

  *getTarget(id: string): Query<CallbackTarget | undefined> {
    return yield* this.#find(id);
  }

  *#find(id: string, suffix = ""): Query<CallbackTarget | undefined> {
    const [row] = yield* rowsOf<CallbackTarget>(`${selected} where id = $1 ${suffix}`, [id]);
    return row && toTarget(row);
  }

  *addTarget(
    target: NewTarget,
    { countMax, isOnly }: Parameters<CallbackStore["addTarget"]>[1],
  ): Query<CallbackTarget> {
    const { id, server, kind, shape, settingsJson, sealedSecrets, createdAt } = target;
    const position = yield* lockServer(this.dialect, server);
    if (position === undefined) throw notFound("Server");
    const siblings = yield* this.listTargets(server, kind);
    if (isOnly && siblings.some((one) => one.shape === shape)) throw new Problem("conflict");
    if (siblings.length >= countMax) throw new Problem("limit_reached");
    const names = [id, server, kind, shape];
    const added = yield* rowsOf(
      `insert into callback_target
         (id, server, kind, shape, settings, sealed_secrets, created_at, since_sequence, state, version)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', 1) on conflict (id) do nothing returning 1 as one`,
      [...names, settingsJson, sealedSecrets, createdAt, position.sequence],
    );
    if (added.length === 0) throw new Problem("conflict");
    yield* rowsOf("insert into callback_cursor (server, sequence) values ($1, $2) on conflict (server) do nothing", [
      server,
      position.sequence,
    ]);
    return { ...target, state: "active", stateReason: null, sinceSequence: position.sequence, version: 1 };
  }

  /** Former secrets stay in the pages of PostgreSQL until vacuum reuses them. */
  *updateTarget(
    id: string,
    change: TargetChange,
    { now, version }: { readonly now: number; readonly version?: number },
  ): Query<CallbackTarget | undefined> {
    const { forUpdate, overwriting } = this.dialect;
    const before = yield* this.#find(id, forUpdate);
    if (before === undefined || (version !== undefined && version !== before.version)) return undefined;
    const { settingsJson, sealedSecrets, state, stateReason } = { ...before, ...change };
    const reason = state === "disabled" ? stateReason : null;
    yield* overwriting(
      rowsOf(
        `update callback_target set settings = $2, sealed_secrets = $3, state = $4, state_reason = $5,
           version = version + 1 where id = $1`,
        [id, settingsJson, sealedSecrets, state, reason],
      ),
    );
    if (state === "active" && before.state !== "active") {
      const resume = "update callback_delivery set due_at = $2 where queue = $1 and due_at > $2 and lease is null";
      yield* rowsOf(resume, [id, now]);
      yield* this.#failures.clear([id]);
    }
    return yield* this.#find(id);
  }

  /** Locks the server, its cursor and the target in this order; the deliveries are purged in the background. */
  *removeTarget(id: string): Query<RemovedTarget | undefined> {
    const found = yield* this.#find(id);
    if (found === undefined) return undefined;
    const { server } = found;
    const position = yield* lockServer(this.dialect, server);
    yield* rowsOf(`select 1 from callback_cursor where server = $1 ${this.dialect.forUpdate}`, [server]);
    if ((yield* this.#remove("id", id)) === 0) return undefined;
    const last = yield* rowsOf(
      `delete from callback_cursor where server = $1
         and not exists (select 1 from callback_target where server = $1) returning 1 as one`,
      [server],
    );
    if (last.length > 0) yield* this.#journal.release(server, 0);
    return { server, sequence: last.length > 0 ? (position?.sequence ?? null) : null };
  }

  /** Removes the targets of a deleted server, and its cursor. */
  *removeOfServer(server: ServerId): Query<void> {
    yield* rowsOf("delete from callback_cursor where server = $1", [server]);
    yield* this.#remove("server", server);
  }

  /** Removes targets with their failures, and lets their deliveries be purged; returns the number of targets. */
  *#remove(column: "id" | "server", value: string): Query<number> {
    const { overwriting } = this.dialect;
    const sql = `delete from callback_target where ${column} = $1 returning id`;
    const removed = yield* overwriting(rowsOf<{ readonly id: string }>(sql, [value]));
    const ids = removed.map(({ id }) => id);
    yield* this.#purge(ids.map((id) => [id]));
    yield* this.#failures.clear(ids);
    return ids.length;
  }

  *listLaggingServers(limit: number, except: readonly ServerId[] = []): Query<readonly LaggingServer[]> {
    const { isAmong, list } = this.dialect;
    return yield* rowsOf<LaggingServer>(
      `/* all servers */ select c.server, c.sequence as cursor, s.sequence as sequence
       from callback_cursor c join server s on s.id = c.server
       where s.sequence > c.sequence and not (${isAmong("s.id", "$2", "text")})
       order by s.sequence - c.sequence desc limit cast($1 as integer)`,
      [limit, list(except)],
    );
  }

  *listTargetServers(): Query<readonly ServerId[]> {
    const rows = yield* rowsOf<Pick<LaggingServer, "server">>("select server from callback_cursor");
    return rows.map(({ server }) => server);
  }

  /** Moves the cursor of a server, which locks it; false when it is not `from`. */
  *moveCursor(server: ServerId, { from, to }: { readonly from: number; readonly to: number }): Query<boolean> {
    const moved = yield* rowsOf(
      "update callback_cursor set sequence = $3 where server = $1 and sequence = $2 returning 1 as one",
      [server, from, to],
    );
    if (moved.length > 0) yield* this.#journal.release(server, from);
    return moved.length > 0;
  }
}

function toTarget(row: CallbackTarget): CallbackTarget {
  return { ...row, sealedSecrets: row.sealedSecrets && new Uint8Array(row.sealedSecrets) };
}

/** Disables a target, given by its stored id, unless it is disabled or, with `onlyActive`, paused; returns whether it did. */
export function* disableTarget(
  id: string,
  reason: string,
  { onlyActive }: { readonly onlyActive: boolean },
): Query<boolean> {
  const changed = yield* rowsOf(
    `update callback_target set state = 'disabled', state_reason = $2, version = version + 1
     where id = $1 and state ${onlyActive ? "= 'active'" : "<> 'disabled'"} returning 1 as one`,
    [id, reason],
  );
  return changed.length > 0;
}

/** Last state of a target in a batch of outcomes. */
export interface TargetResult {
  readonly target: string;
  readonly hasSucceeded: boolean;
  /** Instant of the last failure after the last success, in milliseconds since the Unix epoch; null without one. */
  readonly failedAt: number | null;
}

/** Statements about streaks of failures of targets, which are given by their stored ids. */
export class TargetFailures extends DialectRows {
  readonly #clear: string = `delete from callback_failure where ${this.dialect.isAmong("target", "$1", "text")}`;
  readonly #fail = this.dialect.forEachRow<{ readonly target: string; readonly since: number }>(
    { target: "text", at: "number" },
    ({ of, from }) => `
      insert into callback_failure as f (target, since, last)
      select ${of("target")}, ${of("at")}, ${of("at")} ${from} where true
      on conflict (target) do update set
        since = case when f.last < excluded.last - ${failureGapMsMax} then excluded.last else f.since end,
        last = case when f.last < excluded.last then excluded.last else f.last end
      returning target, since`,
  );

  /** Records the results of targets; returns the reasons to disable some of them. */
  *record(results: readonly TargetResult[]): Query<ReadonlyMap<string, string>> {
    // In one order, so that two nodes do not wait for each other.
    const ordered = results.toSorted((a, b) => (a.target < b.target ? -1 : 1));
    yield* this.clear(ordered.filter(({ hasSucceeded }) => hasSucceeded).map(({ target }) => target));
    const failed = ordered.flatMap(({ target, failedAt }) => (failedAt === null ? [] : [{ target, failedAt }]));
    const rows = yield* this.#fail(failed.map(({ target, failedAt }) => [target, failedAt]));
    const failedAt = new Map(failed.map((one) => [one.target, one.failedAt]));
    return new Map(
      rows.flatMap(({ target, since }) => {
        const reason = disablingReason({ since, at: failedAt.get(target) ?? since });
        return reason === null ? [] : [[target, reason] as const];
      }),
    );
  }

  /** Ends the streaks of targets. */
  *clear(targets: readonly string[]): Query<void> {
    if (targets.length > 0) yield* rowsOf(this.#clear, [this.dialect.list(targets)]);
  }
}

/** Rule by which all stores disable targets that have failed for days. */

/** Time after which a target that only fails is disabled, as Standard Webhooks recommends: five days. */
const failingMsMax = 5 * 24 * 3_600_000;
/**
 * Longest time between two failures of one streak: longer than the longest pause of the schedule with its jitter. A single
 * failure weeks after another proves nothing.
 */
const failureGapMsMax: number = 2 * 24 * 3_600_000;

/** Returns the reason to disable a target that fails at `at` and has failed since `since`; null while it may recover. */
function disablingReason({ since, at }: { readonly since: number; readonly at: number }): string | null {
  if (at - since < failingMsMax) return null;
  return `All requests since ${new Date(since).toISOString().slice(0, 16)}Z have failed`;
}
