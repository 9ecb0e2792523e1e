import { notFound, Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import type {
  CallbackStore,
  CallbackTarget,
  LaggingServer,
  NewTarget,
  TargetChange,
  TargetKind,
  TargetState,
} from "../../callback-store.ts";
import { lockServer } from "../account/servers.ts";
import { bigintArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromNullableText, fromText, toNullableText, toText } from "../connection/text.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { enqueueDeliveryPurge } from "./server-deliveries.ts";
import { clearFailures } from "./target-failures.ts";

interface TargetRow {
  readonly id: string;
  readonly server_id: number;
  readonly kind: TargetKind;
  readonly shape: string;
  readonly settings: string;
  readonly sealed_secrets: Buffer | null;
  readonly state: TargetState;
  readonly state_reason: string | null;
  readonly since_sequence: number;
  readonly version: number;
  readonly created_at: number;
}

const columns = `id, server_id, kind, shape, settings, sealed_secrets, state, state_reason, since_sequence, version,
  created_at`;

/** Removed target: its server and, when that has no target any more, the number of the server's last change. */
export interface RemovedTarget {
  readonly server: number;
  readonly sequence: number | null;
}

/** Targets of callbacks, and cursors of their servers. */
export class CallbackTargets {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Implements `addTarget` of the contract. */
  async add(
    target: NewTarget,
    { countMax, isOnly }: Parameters<CallbackStore["addTarget"]>[1],
  ): Promise<CallbackTarget> {
    const { id, server, kind, shape, settingsJson, sealedSecrets, createdAt } = target;
    const number = serverNumberOf(server);
    const row = await this.#database.transact(async (session) => {
      const position = await lockServer(session, server);
      if (position === undefined) throw notFound("Server");
      const siblings = await session.query<{ shape: string }>(
        "select shape from callback_target where server_id = $1 and kind = $2",
        [number, kind],
      );
      if (isOnly && siblings.some((one) => one.shape === toText(shape))) throw new Problem("conflict");
      if (siblings.length >= countMax) throw new Problem("limit_reached");
      const secrets = sealedSecrets === null ? null : Buffer.from(sealedSecrets);
      const [added] = await session.query<TargetRow>(
        `insert into callback_target (${columns}) values ($1, $2, $3, $4, $5, $6, 'active', null, $7, 1, $8)
         on conflict (id) do nothing returning ${columns}`,
        [toText(id), number, kind, toText(shape), toText(settingsJson), secrets, position.sequence, createdAt],
      );
      if (added === undefined) throw new Problem("conflict");
      await session.query(
        "insert into callback_cursor (server_id, sequence) values ($1, $2) on conflict (server_id) do nothing",
        [number, position.sequence],
      );
      return added;
    });
    return toTarget(row);
  }

  async list(server: ServerId, kind?: TargetKind): Promise<readonly CallbackTarget[]> {
    const rows = await this.#database.query<TargetRow>(
      `select ${columns} from callback_target where server_id = $1 and ($2::text is null or kind = $2)
       order by created_at, id`,
      [serverNumberOf(server), kind ?? null],
    );
    return rows.map(toTarget);
  }

  async get(id: string): Promise<CallbackTarget | undefined> {
    const [row] = await this.#database.query<TargetRow>(`select ${columns} from callback_target where id = $1`, [
      toText(id),
    ]);
    return row === undefined ? undefined : toTarget(row);
  }

  /** Implements `updateTarget`; former secrets stay in the pages of the database until vacuum reuses them. */
  async update(
    id: string,
    change: TargetChange,
    { now, version }: { readonly now: number; readonly version?: number },
  ): Promise<CallbackTarget | undefined> {
    return await this.#database.transact(async (session) => {
      const [found] = await session.query<TargetRow>(
        `select ${columns} from callback_target where id = $1 for no key update`,
        [toText(id)],
      );
      if (found === undefined || (version !== undefined && version !== found.version)) return undefined;
      const { settingsJson, sealedSecrets, state, stateReason } = { ...toTarget(found), ...change };
      const secrets = sealedSecrets === null ? null : Buffer.from(sealedSecrets);
      const reason = state === "disabled" ? toNullableText(stateReason) : null;
      const [updated] = await session.query<TargetRow>(
        `update callback_target set settings = $2, sealed_secrets = $3, state = $4, state_reason = $5,
           version = version + 1 where id = $1 returning ${columns}`,
        [toText(id), toText(settingsJson), secrets, state, reason],
      );
      if (state === "active" && found.state !== "active") {
        await resume(session, id, now);
        await clearFailures(session, [toText(id)]);
      }
      return updated === undefined ? undefined : toTarget(updated);
    });
  }

  /** Removes a target; undefined when there is none. Locks the server, its cursor and the target in this order. */
  async remove(id: string): Promise<RemovedTarget | undefined> {
    return await this.#database.transact(async (session) => {
      const [found] = await session.query<{ server_id: number }>(
        "select server_id from callback_target where id = $1",
        [toText(id)],
      );
      if (found === undefined) return undefined;
      const { server_id: server } = found;
      const position = await lockServer(session, serverIdOf(server));
      await session.query("select 1 from callback_cursor where server_id = $1 for update", [server]);
      const removed = await session.query("delete from callback_target where id = $1 returning 1", [toText(id)]);
      if (removed.length === 0) return undefined;
      await enqueueDeliveryPurge(session, [toText(id)]);
      const isLast = (
        await session.query(
          `delete from callback_cursor where server_id = $1
             and not exists (select 1 from callback_target where server_id = $1) returning 1`,
          [server],
        )
      ).length;
      return { server, sequence: isLast > 0 ? (position?.sequence ?? null) : null };
    });
  }

  /** Returns the servers that lag, those with most changes first. */
  async lagging(limit: number, except: readonly ServerId[]): Promise<readonly LaggingServer[]> {
    const rows = await this.#database.query<{ server_id: number; cursor: number; sequence: number }>(
      `/* all servers */ select s.server_id, c.sequence as cursor, s.sequence
       from callback_cursor c join server s on s.server_id = c.server_id
       where s.sequence > c.sequence and s.server_id <> all($2::bigint[]) order by s.sequence - c.sequence desc limit $1`,
      [limit, bigintArray(except.map(serverNumberOf))],
    );
    return rows.map(({ server_id: server, cursor, sequence }) => ({ server: serverIdOf(server), cursor, sequence }));
  }

  async servers(): Promise<readonly ServerId[]> {
    const rows = await this.#database.query<{ server_id: number }>("select server_id from callback_cursor");
    return rows.map(({ server_id: server }) => serverIdOf(server));
  }
}

async function resume(session: Session, id: string, now: number): Promise<void> {
  await session.query("update callback_delivery set due_at = $2 where queue = $1 and due_at > $2 and lease is null", [
    toText(id),
    now,
  ]);
}

function toTarget(row: TargetRow): CallbackTarget {
  return {
    id: fromText(row.id),
    server: serverIdOf(row.server_id),
    kind: row.kind,
    shape: fromText(row.shape),
    settingsJson: fromText(row.settings),
    sealedSecrets: row.sealed_secrets === null ? null : new Uint8Array(row.sealed_secrets),
    state: row.state,
    stateReason: fromNullableText(row.state_reason),
    sinceSequence: row.since_sequence,
    version: row.version,
    createdAt: row.created_at,
  };
}
