import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import { foldText } from "../../../core/fold.ts";
import type { ServerId } from "../../../core/ids.ts";
import { noQuota } from "../../../core/server-quota.ts";
import {
  defaultReaderDeletion,
  type ReaderDeletion,
  type Retention,
  type Server,
  type ServerChange,
} from "../../../core/server.ts";
import type { NewServer } from "../../store.ts";
import { removeScans } from "../../queues/added-work.ts";
import type { RecordRows } from "../../records/records.ts";
import { recordRowsOf } from "./record-stores.ts";
import type { Journal } from "../messages/changes.ts";
import { overwriting } from "../content/overwriting.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import { DeliveryInserts } from "../callbacks/delivery-inserts.ts";
import { TargetWrites } from "../callbacks/targets.ts";

/** Keys of a server's rows, its last change and its counts. */
export interface ServerPosition {
  /** Never reused, unlike the id. */
  readonly number: number;
  /** Key of its current messages in every other table; emptying the server changes it. */
  readonly epoch: number;
  /** Sequence number of the last change. */
  readonly sequence: number;
  readonly receivedCount: number;
  readonly sentCount: number;
  readonly byteCount: number;
  readonly quotaMessages: number | null;
  readonly quotaBytes: number | null;
}

interface ServerRow {
  readonly id: ServerId;
  readonly name: string;
  readonly users: string;
  readonly ageSecondsMax: number | null;
  readonly messageCountMax: number | null;
  readonly messages: number;
  readonly bytes: number;
  readonly quotaMessages: number | null;
  readonly quotaBytes: number | null;
  readonly readerDeletion: ReaderDeletion;
  readonly retired: number;
  readonly createdAt: number;
  readonly uidValidity: number;
  readonly expiresAt: number | null;
}

const serverColumns = `id, name, users, retention_age_seconds_max as ageSecondsMax,
  retention_message_count_max as messageCountMax, received_count + sent_count as messages, byte_count as bytes,
  quota_messages as quotaMessages, quota_bytes as quotaBytes, reader_deletion as readerDeletion, retired,
  created_at as createdAt, uid_validity as uidValidity,
  expires_at as expiresAt`;

/** Queries of servers. */
export class ServerReads {
  readonly #one: StatementSync;
  readonly #exists: StatementSync;
  readonly #all: StatementSync;
  readonly #oldest: StatementSync;
  readonly #toTend: StatementSync;
  readonly #password: StatementSync;
  readonly #position: StatementSync;

  constructor(database: DatabaseSync) {
    this.#one = database.prepare(`select ${serverColumns} from server where id = ?`);
    this.#exists = database.prepare("select 1 from server where id = ?");
    this.#all = database.prepare(`select ${serverColumns} from server order by name_folded, id`);
    this.#oldest = database.prepare(`select ${serverColumns} from server order by created_at, id limit 1`);
    this.#toTend = database.prepare(
      `select ${serverColumns} from server where expires_at <= ?
       union select ${serverColumns} from server
       where retention_age_seconds_max is not null or retention_message_count_max is not null`,
    );
    this.#password = database.prepare("select password from server where id = ?");
    this.#position = database.prepare(
      `select number, epoch, sequence, received_count as receivedCount, sent_count as sentCount,
         byte_count as byteCount, quota_messages as quotaMessages, quota_bytes as quotaBytes
       from server where id = ?`,
    );
  }

  get(id: ServerId): Server | undefined {
    const row = this.#one.get(id);
    return row === undefined ? undefined : toServer(row as unknown as ServerRow);
  }

  has(id: ServerId): boolean {
    return this.#exists.get(id) !== undefined;
  }

  oldest(): Server | undefined {
    const row = this.#oldest.get();
    return row === undefined ? undefined : toServer(row as unknown as ServerRow);
  }

  toTend(now: number): readonly Server[] {
    return this.#toTend.all(now).map((row) => toServer(row as unknown as ServerRow));
  }

  /** Returns all servers by folded name in code points (SQLite compares UTF-8), then by id. */
  list(): readonly Server[] {
    return this.#all.all().map((row) => toServer(row as unknown as ServerRow));
  }

  password(id: ServerId): string | undefined {
    return this.#password.get(id)?.["password"] as string | undefined;
  }

  position(id: ServerId): ServerPosition | undefined {
    return this.#position.get(id) as unknown as ServerPosition | undefined;
  }
}

/** Changes of servers, for use inside the writer's transaction. */
export class ServerWrites {
  readonly #database: DatabaseSync;
  readonly #reads: ServerReads;
  readonly #journal: Journal;
  readonly #nextEpoch: StatementSync;
  readonly #nextUidValidity: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #setPassword: StatementSync;
  readonly #remove: StatementSync;
  readonly #removeKeys: StatementSync;
  readonly #removeObjects: StatementSync;
  readonly #records: RecordRows;
  readonly #removeNumbers: StatementSync;
  readonly #targets: TargetWrites;
  readonly #deliveries: DeliveryInserts;
  readonly #run: ReturnType<typeof queryRunner>;
  readonly #scheduled = new ScheduledRows(sqliteDialect);
  readonly #enqueuePurge: StatementSync;
  readonly #moveEpoch: StatementSync;

  constructor(database: DatabaseSync, journal: Journal) {
    this.#database = database;
    this.#reads = new ServerReads(database);
    this.#journal = journal;
    this.#nextEpoch = database.prepare("update state set epoch = epoch + 1 returning epoch");
    this.#nextUidValidity = database.prepare(
      "update state set uid_validity = max(uid_validity + 1, ?) returning uid_validity as value",
    );
    this.#insert = database.prepare(
      `insert into server (id, name, name_folded, password, created_at, expires_at, users, retention_age_seconds_max,
         retention_message_count_max, quota_messages, quota_bytes, reader_deletion, retired, epoch, uid_validity)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = database.prepare(
      `update server set name = ?, name_folded = ?, users = ?, retention_age_seconds_max = ?,
         retention_message_count_max = ?, quota_messages = ?, quota_bytes = ?, reader_deletion = ? where id = ?`,
    );
    this.#setPassword = database.prepare(
      "update server set password = ?1 where id = ?2 and (?3 is null or password = ?3)",
    );
    this.#remove = database.prepare("delete from server where id = ?");
    this.#removeKeys = database.prepare("delete from api_key where server = ?");
    this.#removeObjects = database.prepare("delete from provider_object where server = ?");
    this.#records = recordRowsOf(journal);
    this.#removeNumbers = database.prepare("delete from phone_number where server = ?");
    this.#targets = new TargetWrites(database, journal);
    this.#deliveries = new DeliveryInserts(database);
    this.#run = queryRunner(database);
    this.#enqueuePurge = database.prepare("insert into purge (epoch, server, message_count) values (?, ?, ?)");
    this.#moveEpoch = database.prepare(
      "update server set epoch = ?, received_count = 0, sent_count = 0, byte_count = 0 where number = ?",
    );
  }

  create(server: NewServer): Server {
    if (this.#reads.position(server.id) !== undefined) throw new Problem("conflict");
    const { id, name, password, createdAt, expiresAt, users = [], quota = noQuota, retired = 0 } = server;
    const past = [JSON.stringify(users), ...rulesOf({ ...server, quota }), retired] as const;
    const uidValidity = this.#takeUidValidity(server.uidValidityMin ?? Math.floor(createdAt / 1000));
    this.#insert.run(id, name, foldText(name), password, createdAt, expiresAt, ...past, this.#takeEpoch(), uidValidity);
    return present(this.#reads.get(id));
  }

  setPassword(id: ServerId, password: string, present?: string): boolean {
    return overwriting(this.#database, () => this.#setPassword.run(password, id, present ?? null).changes > 0);
  }

  update(id: ServerId, change: ServerChange): Server | undefined {
    const before = this.#reads.get(id);
    if (before === undefined) return undefined;
    const name = change.name ?? before.name;
    const users = JSON.stringify(change.users ?? before.users);
    const retention: Retention = { ...before.retention, ...change.retention };
    const quota = { ...before.quota, ...change.quota };
    const rules = [retention.ageSecondsMax, retention.messageCountMax, quota.messages, quota.bytes] as const;
    this.#update.run(name, foldText(name), users, ...rules, change.readerDeletion ?? before.readerDeletion, id);
    return present(this.#reads.get(id));
  }

  /** Deletes a server; its messages and journal become unreachable and are purged in the background. */
  remove(id: ServerId): boolean {
    const position = this.#reads.position(id);
    if (position === undefined) return false;
    this.#removeKeys.run(id);
    this.#removeNumbers.run(id);
    this.#removeObjects.run(id);
    this.#run(this.#records.faults.removeFaults(id));
    this.#run(this.#records.scanners.removeScanner(id));
    this.#targets.removeOfServer(id, position.number);
    this.#deliveries.removeOfServer(id);
    this.#run(this.#scheduled.deleteHeld(id));
    this.#remove.run(id);
    this.#enqueuePurge.run(position.epoch, position.number, position.receivedCount + position.sentCount);
    return true;
  }

  empty(id: ServerId): number | undefined {
    const position = this.#reads.position(id);
    if (position === undefined) return undefined;
    this.#moveEpoch.run(this.#takeEpoch(), position.number);
    this.#deliveries.cancelOfServer(id);
    this.#run(removeScans(id));
    this.#run(this.#scheduled.deleteHeld(id));
    this.#enqueuePurge.run(position.epoch, null, position.receivedCount + position.sentCount);
    return this.#journal.append(position.number, "emptied", null);
  }

  #takeUidValidity(least: number): number {
    return Number(this.#nextUidValidity.get(least)?.["value"]);
  }

  #takeEpoch(): number {
    return Number(this.#nextEpoch.get()?.["epoch"]);
  }
}

type RuleColumns = readonly [number | null, number | null, number | null, number | null, ReaderDeletion];

function rulesOf({
  retention,
  quota,
  readerDeletion = defaultReaderDeletion,
}: Pick<NewServer, "retention" | "quota" | "readerDeletion">): RuleColumns {
  const [age, count] = [retention?.ageSecondsMax ?? null, retention?.messageCountMax ?? null];
  return [age, count, quota?.messages ?? null, quota?.bytes ?? null, readerDeletion];
}

function toServer(row: ServerRow): Server {
  return {
    id: row.id,
    name: row.name,
    users: JSON.parse(row.users) as readonly string[],
    messages: row.messages,
    bytes: row.bytes,
    quota: { messages: row.quotaMessages, bytes: row.quotaBytes },
    retention: { ageSecondsMax: row.ageSecondsMax, messageCountMax: row.messageCountMax },
    readerDeletion: row.readerDeletion,
    retired: row.retired,
    createdAt: row.createdAt,
    uidValidity: row.uidValidity,
    expiresAt: row.expiresAt,
  };
}

function present(server: Server | undefined): Server {
  if (server === undefined) throw new Error("a server disappeared within its own transaction");
  return server;
}
