import { notFound, Problem } from "../../core/errors.ts";
import { foldText } from "../../core/fold.ts";
import type { ServerId } from "../../core/ids.ts";
import { defaultReaderDeletion, noQuota, type Server, type ServerChange } from "../../core/server.ts";
import { narrowRetention } from "../../core/team-limits.ts";
import type { DeliveryRows } from "../callbacks/delivery-rows.ts";
import { removeScans } from "../queues/leased-tables.ts";
import { ScheduledRows } from "../queues/scheduled-rows.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { NewServer } from "../server-store.ts";
import type { FaultRows, ScannerRows } from "./rule-rows.ts";
import { hasServer, type KeyRows, requireOwner } from "./key-rows.ts";
import type { TeamLimitRows } from "./team-limit-rows.ts";
import { lockServer, type JournalRows, type ServerPosition } from "./server-position.ts";
import type { StoreStatistics } from "../store.ts";

interface ServerRow extends Omit<Server, "users" | "quota" | "retention" | "isProtected"> {
  readonly users: string;
  readonly ageSecondsMax: number | null;
  readonly messageCountMax: number | null;
  readonly quotaMessages: number | null;
  readonly quotaBytes: number | null;
  readonly isProtected: number;
}

const columns = `id, name, users, team, retention_age_seconds_max as "ageSecondsMax",
  retention_message_count_max as "messageCountMax", received_count + sent_count as messages, byte_count as bytes,
  quota_messages as "quotaMessages", quota_bytes as "quotaBytes", reader_deletion as "readerDeletion", retired,
  created_at as "createdAt", uid_validity as "uidValidity", expires_at as "expiresAt", traffic_at as "trafficAt",
  is_protected as "isProtected"`;

const newServerDefaults = {
  users: [] as readonly string[],
  team: null,
  retention: { ageSecondsMax: null, messageCountMax: null },
  readerDeletion: defaultReaderDeletion,
  retired: 0,
  isProtected: false,
};

/** Statements of a database about what remains of emptied and deleted servers. */
export interface ServerParts {
  /** Returns an epoch that no server has had. */
  nextEpoch(): Query<number>;
  /** Lets the messages of the epoch of a position be purged; those of a deleted server with its changes. */
  enqueuePurge(position: ServerPosition, isDeleted: boolean): Query<void>;
}

/** Dependencies of {@link ServerRows}: statements about rows that are removed with their server. */
export interface ServerDependencies {
  readonly journal: JournalRows;
  readonly parts: ServerParts;
  readonly keys: KeyRows;
  readonly faults: FaultRows;
  readonly scanners: ScannerRows;
  readonly callbacks: Pick<DeliveryRows, "cancelOfServer" | "removeOfServer">;
  readonly teamLimits: Pick<TeamLimitRows, "listTeamLimits">;
}

/** Statements about servers. Their guarantees are those of `ServerStore`. */
export class ServerRows extends DialectRows {
  readonly #dependencies: ServerDependencies;
  readonly #scheduled = new ScheduledRows(this.dialect);

  constructor(dialect: SqlDialect, dependencies: ServerDependencies) {
    super(dialect);
    this.#dependencies = dependencies;
  }

  *createServer({ id, name, password, createdAt, expiresAt, ...past }: NewServer): Query<Server> {
    const { users, team, retention, readerDeletion, retired, isProtected, trafficAt, quota } = {
      ...newServerDefaults,
      trafficAt: createdAt,
      ...past,
      quota: { ...noQuota, ...past.quota },
    };
    yield* this.#requireTeam(team);
    const { serverKey, serverNumber, toServer } = this.dialect;
    if (yield* hasServer(this.dialect, id)) throw new Problem("conflict");
    const uidValidity = yield* this.#nextUidValidity(past.uidValidityMin ?? Math.floor(createdAt / 1000));
    const epoch = yield* this.#dependencies.parts.nextEpoch();
    // SQLite numbers its servers.
    const names = [serverNumber === serverKey ? toServer(id) : null, id, name, foldText(name), password];
    const limits = [retention.ageSecondsMax, retention.messageCountMax, quota.messages, quota.bytes];
    const state = [readerDeletion, retired, epoch, uidValidity, team, trafficAt, Number(isProtected)];
    const added = yield* rowsOf(
      `insert into server (${serverNumber}, id, name, name_folded, password, created_at, expires_at, users,
         retention_age_seconds_max, retention_message_count_max, quota_messages, quota_bytes, reader_deletion, retired,
         epoch, uid_validity, team, traffic_at, is_protected)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
       on conflict do nothing returning epoch`,
      [...names, createdAt, expiresAt, JSON.stringify(users), ...limits, ...state],
    );
    if (added.length === 0) throw new Problem("conflict");
    return yield* this.#require(id);
  }

  /** Returns a value that no server has had. */
  *#nextUidValidity(least: number): Query<number> {
    const [row] = yield* rowsOf<{ readonly value: number }>(
      `update state set uid_validity = case when uid_validity < $1 then cast($1 as bigint) else uid_validity + 1 end
       returning uid_validity as value`,
      [least],
    );
    if (row === undefined) throw new Error("the table state is empty");
    return row.value;
  }

  /** Sorts by folded name in code points (both databases compare UTF-8), then by id. */
  *listServers(): Query<readonly Server[]> {
    return yield* this.#select("/* all servers */ order by name_folded, id");
  }

  *getServer(id: ServerId): Query<Server | undefined> {
    const { serverKey, toServer } = this.dialect;
    return (yield* this.#select(`where ${serverKey} = $1`, [toServer(id)]))[0];
  }

  *hasServer(id: ServerId): Query<boolean> {
    const { serverKey, toServer } = this.dialect;
    return (yield* rowsOf(`select 1 from server where ${serverKey} = $1`, [toServer(id)])).length > 0;
  }

  *findOldestServer(): Query<Server | undefined> {
    return (yield* this.#select("/* all servers */ order by created_at, id limit 1"))[0];
  }

  *listServersForMaintenance(now: number): Query<readonly Server[]> {
    const expired = yield* this.#select("/* all servers */ where expires_at <= $1", [now]);
    const ruled = yield* this.#select(
      "/* all servers */ where retention_age_seconds_max is not null or retention_message_count_max is not null",
    );
    const limits = yield* this.#dependencies.teamLimits.listTeamLimits();
    const ageOf = ({ team }: Server): number | null => limits.get(team ?? "")?.ageSecondsMax ?? null;
    const { isAmong, list } = this.dialect;
    const limiting = [...limits].flatMap(([team, { ageSecondsMax }]) => (ageSecondsMax === null ? [] : team));
    const ofTeams =
      limiting.length === 0
        ? []
        : yield* this.#select(`/* all servers */ where ${isAmong("team", "$1", "text")}`, [list(limiting)]);
    const servers = [...expired, ...ruled, ...ofTeams].map((server) => {
      return [server.id, { ...server, retention: narrowRetention(server.retention, ageOf(server)) }] as const;
    });
    return [...new Map(servers).values()];
  }

  *getServerPassword(id: ServerId): Query<string | undefined> {
    const { serverKey, toServer } = this.dialect;
    const sql = `select password from server where ${serverKey} = $1`;
    const [row] = yield* rowsOf<{ readonly password: string }>(sql, [toServer(id)]);
    return row?.password;
  }

  *setServerPassword(id: ServerId, password: string, present?: string): Query<boolean> {
    const { serverKey, toServer, overwriting } = this.dialect;
    const update = rowsOf(
      `update server set password = $2 where ${serverKey} = $1 and (cast($3 as text) is null or password = $3)
       returning epoch`,
      [toServer(id), password, present ?? null],
    );
    return (yield* overwriting(update)).length > 0;
  }

  *updateServer(id: ServerId, change: ServerChange): Query<Server | undefined> {
    const { serverKey, toServer } = this.dialect;
    if (!(yield* hasServer(this.dialect, id))) return undefined;
    const before = yield* this.#require(id);
    const { name, users, team, readerDeletion, isProtected } = { ...before, ...change };
    if (team !== before.team) yield* this.#requireTeam(team);
    const retention = { ...before.retention, ...change.retention };
    const quota = { ...before.quota, ...change.quota };
    const rules = [retention.ageSecondsMax, retention.messageCountMax, quota.messages, quota.bytes, readerDeletion];
    yield* rowsOf(
      `update server set name = $2, name_folded = $3, users = $4, retention_age_seconds_max = $5,
         retention_message_count_max = $6, quota_messages = $7, quota_bytes = $8, reader_deletion = $9,
         team = $10, is_protected = $11 where ${serverKey} = $1`,
      [toServer(id), name, foldText(name), JSON.stringify(users), ...rules, team, Number(isProtected)],
    );
    return yield* this.#require(id);
  }

  *deleteServer(id: ServerId, idleSince?: number): Query<boolean> {
    const { keys, faults, scanners, callbacks, parts } = this.#dependencies;
    const { serverKey, toServer } = this.dialect;
    const position = yield* lockServer(this.dialect, id);
    if (position === undefined || (idleSince !== undefined && !(yield* this.#isIdle(id, idleSince)))) return false;
    yield* keys.removeKeys("server", id);
    yield* callbacks.removeOfServer(id);
    yield* faults.removeFaults(id);
    yield* scanners.removeScanner(id);
    yield* this.#scheduled.deleteHeld(id);
    for (const table of ["phone_number", "provider_object", "dns_zone"]) {
      yield* rowsOf(`delete from ${table} where server = $1`, [id]);
    }
    yield* rowsOf(`delete from server where ${serverKey} = $1`, [toServer(id)]);
    yield* parts.enqueuePurge(position, true);
    return true;
  }

  *#isIdle(id: ServerId, since: number): Query<boolean> {
    const { isProtected, trafficAt } = yield* this.#require(id);
    const expected = yield* rowsOf("select 1 from scheduled_email where server = $1 and is_deleted = 0 limit 1", [id]);
    return !isProtected && trafficAt < since && expected.length === 0;
  }

  /** Empties a server; returns the number of the change. */
  *emptyServer(id: ServerId): Query<number | undefined> {
    const { journal, callbacks, parts } = this.#dependencies;
    const position = yield* lockServer(this.dialect, id);
    if (position === undefined) return undefined;
    yield* rowsOf(
      `update server set epoch = $2, received_count = 0, sent_count = 0, byte_count = 0
       where ${this.dialect.serverNumber} = $1`,
      [position.number, yield* parts.nextEpoch()],
    );
    yield* callbacks.cancelOfServer(id);
    yield* removeScans(id);
    yield* this.#scheduled.deleteHeld(id);
    yield* parts.enqueuePurge(position, false);
    return yield* journal.append(position.number, "emptied", null);
  }

  /** Throws `not_found` without the team, which else stays until the commit. */
  *#requireTeam(team: string | null): Query<void> {
    if (team !== null) yield* requireOwner(this.dialect, { kind: "team", id: team });
  }

  *#require(id: ServerId): Query<Server> {
    const server = yield* this.getServer(id);
    if (server === undefined) throw notFound("Server");
    return server;
  }

  *#select(rest: string, values: readonly unknown[] = []): Query<readonly Server[]> {
    const rows = yield* rowsOf<ServerRow>(`select ${columns} from server ${rest}`, values);
    return rows.map(({ ageSecondsMax, messageCountMax, quotaMessages, quotaBytes, isProtected, ...row }) => ({
      ...row,
      users: JSON.parse(row.users) as readonly string[],
      quota: { messages: quotaMessages, bytes: quotaBytes },
      retention: { ageSecondsMax, messageCountMax },
      isProtected: isProtected !== 0,
    }));
  }
}

/** Counts of rows of the whole store. */
export type StoreCounts = Pick<
  StoreStatistics,
  "serverCount" | "messageCount" | "purgeBacklogCount" | "outboxBacklogCount" | "heldMessageCount"
>;

/** Counts rows of the whole store, mostly by stored sums. */
export function* countStore(): Query<StoreCounts> {
  const [servers] = yield* rowsOf<Pick<StoreCounts, "serverCount" | "messageCount">>(
    `/* all servers */ select count(*) as "serverCount",
       cast(coalesce(sum(received_count + sent_count), 0) as bigint) as "messageCount" from server`,
  );
  const [purge] = yield* rowsOf<Pick<StoreCounts, "purgeBacklogCount">>(
    `/* all servers */ select cast(coalesce(sum(message_count), 0) as bigint) as "purgeBacklogCount" from purge`,
  );
  const [work] = yield* rowsOf<Pick<StoreCounts, "outboxBacklogCount" | "heldMessageCount">>(
    `select (select count(*) from outbox where due_at is not null) as "outboxBacklogCount",
       (select count(*) from scheduled_email where held_bytes is not null) as "heldMessageCount"`,
  );
  if (servers === undefined || purge === undefined || work === undefined) throw new Error("a count returned no row");
  return { ...servers, ...purge, ...work };
}
