import { randomInt } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { foldText } from "../../../core/fold.ts";
import type { ServerId } from "../../../core/ids.ts";
import { noQuota, type ServerQuota } from "../../../core/server-quota.ts";
import {
  defaultReaderDeletion,
  type ReaderDeletion,
  type Retention,
  type Server,
  type ServerChange,
} from "../../../core/server.ts";
import type { NewServer } from "../../store.ts";
import { appendChange } from "../messages/changes.ts";
import type { Database, Session } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { cancelDeliveriesOfServer, removeCallbacks } from "../callbacks/server-deliveries.ts";
import { removeScans } from "../../queues/added-work.ts";
import { lockServer as lockRow, type ServerPosition } from "../../records/server-position.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { recordRows } from "./records.ts";
import { fromText, toNullableText, toText } from "../connection/text.ts";

interface ServerRow {
  readonly server_id: number;
  readonly name: string;
  readonly users: string;
  readonly retention_age_seconds_max: number | null;
  readonly retention_message_count_max: number | null;
  readonly messages: number;
  readonly byte_count: number;
  readonly quota_messages: number | null;
  readonly quota_bytes: number | null;
  readonly reader_deletion: ReaderDeletion;
  readonly retired: number;
  readonly created_at: number;
  readonly uid_validity: number;
  readonly expires_at: number | null;
}

const columns = `server_id, name, users, retention_age_seconds_max, retention_message_count_max,
  received_count + sent_count as messages, byte_count, quota_messages, quota_bytes, reader_deletion, retired, created_at,
  uid_validity, expires_at`;

const noRetention: Retention = { ageSecondsMax: null, messageCountMax: null };

const cacheMs = 1000;
const seenCountMax = 10_000;

/** Epochs are random numbers, so that a server created again with an old id has an epoch of its own. */
const epochEnd = 2 ** 48 - 1;

/** Works as `lockServer` of the records. */
export async function lockServer(session: Session, server: ServerId): Promise<ServerPosition | undefined> {
  return await runOn(session, lockRow(postgresDialect, server));
}

/** Servers. */
export class Servers {
  readonly #database: Database;
  readonly #clock: Clock;
  /** Cache of servers that exist, with the monotonic time at which each entry expires. */
  readonly #seenUntil = new Map<ServerId, number>();
  #removalCount = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create({ id, name, password, createdAt, expiresAt, ...past }: NewServer): Promise<Server> {
    const { users = [], retention = noRetention, quota = {}, retired = 0 } = past;
    const uidValidity = await this.#takeUidValidity(past.uidValidityMin ?? Math.floor(createdAt / 1000));
    const own = [serverNumberOf(id), toText(name), foldText(name), toText(password), createdAt, expiresAt, newEpoch()];
    const [row] = await this.#database.query<ServerRow>(
      `insert into server (server_id, name, name_folded, password, created_at, expires_at, epoch, users,
         retention_age_seconds_max, retention_message_count_max, retired,
         quota_messages, quota_bytes, uid_validity, reader_deletion)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict (server_id) do nothing returning ${columns}`,
      [
        ...own,
        JSON.stringify(users),
        ...retentionColumnsOf(retention),
        retired,
        ...quotaColumnsOf({ ...noQuota, ...quota }),
        uidValidity,
        past.readerDeletion ?? defaultReaderDeletion,
      ],
    );
    if (row === undefined) throw new Problem("conflict");
    return toServer(row);
  }

  /** Returns a value that no server has had; one that is not used afterwards is lost. */
  async #takeUidValidity(least: number): Promise<number> {
    const [row] = await this.#database.query<{ value: number }>(
      "update state set uid_validity = greatest(uid_validity + 1, $1) returning uid_validity as value",
      [least],
    );
    if (row === undefined) throw new Error("the table state is empty");
    return row.value;
  }

  /** Returns all servers by folded name in code points (the collation compares UTF-8), then by id. */
  async list(): Promise<readonly Server[]> {
    return (await this.#all("order by name_folded, server_id")).map(toServer);
  }

  async oldest(): Promise<Server | undefined> {
    return (await this.#all("order by created_at, server_id limit 1")).map(toServer)[0];
  }

  async toTend(now: number): Promise<readonly Server[]> {
    const tended = "retention_age_seconds_max is not null or retention_message_count_max is not null";
    return (await this.#all(`where expires_at <= $1 or ${tended}`, [now])).map(toServer);
  }

  async get(id: ServerId): Promise<Server | undefined> {
    const [row] = await this.#database.query<ServerRow>(`select ${columns} from server where server_id = $1`, [
      serverNumberOf(id),
    ]);
    return row === undefined ? undefined : toServer(row);
  }

  /** Implements `hasServer` of the contract. */
  async has(id: ServerId): Promise<boolean> {
    const now = this.#clock.monotonicMs();
    const until = this.#seenUntil.get(id) ?? 0;
    if (now < until) return true;
    const removalCount = this.#removalCount;
    const [row] = await this.#database.query("select 1 from server where server_id = $1", [serverNumberOf(id)]);
    if (this.#seenUntil.size >= seenCountMax) this.#seenUntil.clear();
    if (row !== undefined && removalCount === this.#removalCount) this.#seenUntil.set(id, now + cacheMs);
    return row !== undefined;
  }

  async password(id: ServerId): Promise<string | undefined> {
    const [row] = await this.#database.query<{ password: string }>("select password from server where server_id = $1", [
      serverNumberOf(id),
    ]);
    return row === undefined ? undefined : fromText(row.password);
  }

  /** Copies of the former password stay in the pages and the log of the database until it reuses them. */
  async setPassword(id: ServerId, password: string, present?: string): Promise<boolean> {
    const rows = await this.#database.query(
      "update server set password = $2 where server_id = $1 and ($3::text is null or password = $3) returning server_id",
      [serverNumberOf(id), toText(password), toNullableText(present ?? null)],
    );
    return rows.length > 0;
  }

  async update(id: ServerId, change: ServerChange): Promise<Server | undefined> {
    return await this.#database.transact(async (session) => {
      if ((await lockServer(session, id)) === undefined) return undefined;
      const number = serverNumberOf(id);
      const [before] = await session.query<ServerRow>(`select ${columns} from server where server_id = $1`, [number]);
      if (before === undefined) return undefined;
      const { name, users, retention, quota, readerDeletion } = merge(toServer(before), change);
      const [after] = await session.query<ServerRow>(
        `update server set name = $2, name_folded = $3, users = $4, retention_age_seconds_max = $5,
           retention_message_count_max = $6, quota_messages = $7, quota_bytes = $8, reader_deletion = $9
         where server_id = $1 returning ${columns}`,
        [
          number,
          toText(name),
          foldText(name),
          JSON.stringify(users),
          ...retentionColumnsOf(retention),
          ...quotaColumnsOf(quota),
          readerDeletion,
        ],
      );
      return after === undefined ? undefined : toServer(after);
    });
  }

  /** Deletes a server; its messages become unreachable and are purged in the background. */
  async remove(id: ServerId): Promise<boolean> {
    const wasRemoved = await this.#database.transact(async (session) => {
      const position = await lockServer(session, id);
      if (position === undefined) return false;
      const number = serverNumberOf(id);
      await runOn(session, recordRows.keys.removeKeys("server_id", number));
      await removeCallbacks(session, number);
      await runOn(session, recordRows.faults.removeFaults(id));
      await runOn(session, recordRows.scanners.removeScanner(id));
      await runOn(session, new ScheduledRows(postgresDialect).deleteHeld(id));
      for (const table of ["phone_number", "provider_object", "dns_zone", "change", "server"]) {
        await session.query(`delete from ${table} where server_id = $1`, [number]);
      }
      await enqueuePurge(session, number, position);
      return true;
    });
    this.#removalCount += 1;
    this.#seenUntil.delete(id);
    return wasRemoved;
  }

  /** Empties a server; returns the number of the change. */
  async empty(id: ServerId): Promise<number | undefined> {
    const epoch = newEpoch();
    return await this.#database.transact(async (session) => {
      const position = await lockServer(session, id);
      if (position === undefined) return undefined;
      const number = serverNumberOf(id);
      await session.query(
        "update server set epoch = $2, received_count = 0, sent_count = 0, byte_count = 0 where server_id = $1",
        [number, epoch],
      );
      await cancelDeliveriesOfServer(session, number);
      await runOn(session, removeScans(id));
      await runOn(session, new ScheduledRows(postgresDialect).deleteHeld(id));
      await enqueuePurge(session, number, position);
      return await appendChange(session, number, { kind: "emptied", id: null });
    });
  }

  async #all(rest: string, parameters: readonly unknown[] = []): Promise<readonly ServerRow[]> {
    return await this.#database.query<ServerRow>(`/* all servers */ select ${columns} from server ${rest}`, parameters);
  }
}

async function enqueuePurge(session: Session, server: number, position: ServerPosition): Promise<void> {
  const row = [server, position.epoch, position.receivedCount + position.sentCount];
  await session.query("insert into purge (server_id, epoch, message_count) values ($1, $2, $3)", row);
}

function newEpoch(): number {
  return randomInt(1, epochEnd);
}

function merge(
  before: Server,
  change: ServerChange,
): Pick<Server, "name" | "users" | "retention" | "quota" | "readerDeletion"> {
  return {
    name: change.name ?? before.name,
    users: change.users ?? before.users,
    retention: { ...before.retention, ...change.retention },
    quota: { ...before.quota, ...change.quota },
    readerDeletion: change.readerDeletion ?? before.readerDeletion,
  };
}

function retentionColumnsOf({ ageSecondsMax, messageCountMax }: Retention): readonly (number | null)[] {
  return [ageSecondsMax, messageCountMax];
}

function quotaColumnsOf({ messages, bytes }: ServerQuota): readonly (number | null)[] {
  return [messages, bytes];
}

function toServer(row: ServerRow): Server {
  return {
    id: serverIdOf(row.server_id),
    name: fromText(row.name),
    users: JSON.parse(row.users) as readonly string[],
    messages: row.messages,
    bytes: row.byte_count,
    quota: { messages: row.quota_messages, bytes: row.quota_bytes },
    retention: { ageSecondsMax: row.retention_age_seconds_max, messageCountMax: row.retention_message_count_max },
    readerDeletion: row.reader_deletion,
    retired: row.retired,
    createdAt: row.created_at,
    uidValidity: row.uid_validity,
    expiresAt: row.expires_at,
  };
}
