/** Targets of callbacks, and cursors of their servers. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound, Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import type {
  CallbackStore,
  CallbackTarget,
  LaggingServer,
  NewTarget,
  TargetChange,
  TargetKind,
} from "../../callback-store.ts";
import { overwriting } from "../content/overwriting.ts";
import type { Journal } from "../messages/changes.ts";
import { TargetFailures } from "./target-failures.ts";

const columns = `id, server, kind, shape, settings as settingsJson, sealed_secrets as sealedSecrets, state,
  state_reason as stateReason, since_sequence as sinceSequence, version, created_at as createdAt`;

/** Queries of targets. */
export class TargetReads {
  readonly #all: StatementSync;
  readonly #ofKind: StatementSync;
  readonly #get: StatementSync;
  readonly #lagging: StatementSync;
  readonly #servers: StatementSync;

  constructor(database: DatabaseSync) {
    const ofServer = `select ${columns} from callback_target where server = ?`;
    this.#all = database.prepare(`${ofServer} order by created_at, number`);
    this.#ofKind = database.prepare(`${ofServer} and kind = ? order by created_at, number`);
    this.#get = database.prepare(`select ${columns} from callback_target where id = ?`);
    this.#lagging = database.prepare(
      `select s.id as server, c.sequence as cursor, s.sequence from callback_cursor c join server s on s.number = c.server
       where s.sequence > c.sequence and s.id not in (select value from json_each(?)) order by s.sequence - c.sequence desc limit ? + 0`,
    );
    this.#servers = database.prepare("select s.id from callback_cursor c join server s on s.number = c.server");
  }

  list(server: ServerId, kind?: TargetKind): readonly CallbackTarget[] {
    const rows = kind === undefined ? this.#all.all(server) : this.#ofKind.all(server, kind);
    return rows.map((row) => ({ ...(row as unknown as CallbackTarget) }));
  }

  get(id: string): CallbackTarget | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : { ...(row as unknown as CallbackTarget) };
  }

  /** Returns the servers that lag, those with most changes first. */
  lagging(limit: number, except: readonly ServerId[]): readonly LaggingServer[] {
    return this.#lagging.all(JSON.stringify(except), limit).map((row) => ({ ...(row as unknown as LaggingServer) }));
  }

  servers(): readonly ServerId[] {
    return this.#servers.all().map(({ id }) => id as ServerId);
  }
}

/** Changes of targets, for use inside the writer's transaction. */
export class TargetWrites {
  readonly #database: DatabaseSync;
  readonly #journal: Journal;
  readonly #reads: TargetReads;
  readonly #position: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertCursor: StatementSync;
  readonly #moveCursor: StatementSync;
  readonly #removeCursor: StatementSync;
  readonly #update: StatementSync;
  readonly #resume: StatementSync;
  readonly #disable: StatementSync;
  readonly #disableActive: StatementSync;
  readonly #failures: TargetFailures;
  readonly #remove: StatementSync;
  readonly #enqueuePurge: StatementSync;

  constructor(database: DatabaseSync, journal: Journal) {
    this.#database = database;
    this.#journal = journal;
    this.#reads = new TargetReads(database);
    this.#position = database.prepare("select number, sequence from server where id = ?");
    this.#insert = database.prepare(
      `insert into callback_target
         (id, server, kind, shape, settings, sealed_secrets, created_at, since_sequence, state, version)
       values (?, ?, ?, ?, ?, ?, ?, ?, 'active', 1)`,
    );
    this.#insertCursor = database.prepare("insert or ignore into callback_cursor (server, sequence) values (?, ?)");
    this.#moveCursor = database.prepare("update callback_cursor set sequence = ? where server = ? and sequence = ?");
    this.#removeCursor = database.prepare("delete from callback_cursor where server = ?");
    this.#update = database.prepare(
      `update callback_target set settings = ?, sealed_secrets = ?, state = ?, state_reason = ?, version = version + 1
       where id = ?`,
    );
    this.#resume = database.prepare(
      "update callback_delivery set due_at = ?1 where queue = ?2 and due_at > ?1 and lease is null",
    );
    this.#disable = database.prepare(
      `update callback_target set state = 'disabled', state_reason = ?, version = version + 1
       where id = ? and state <> 'disabled'`,
    );
    this.#disableActive = database.prepare(
      `update callback_target set state = 'disabled', state_reason = ?, version = version + 1
       where id = ? and state = 'active'`,
    );
    this.#failures = new TargetFailures(database);
    this.#remove = database.prepare("delete from callback_target where id = ?");
    this.#enqueuePurge = database.prepare("insert or ignore into callback_purge (target) values (?)");
  }

  /** Implements `addTarget` of the contract. */
  add(target: NewTarget, { countMax, isOnly }: Parameters<CallbackStore["addTarget"]>[1]): CallbackTarget {
    const { id, server, kind, shape, settingsJson, sealedSecrets, createdAt } = target;
    const position = this.#positionOf(server);
    if (position === undefined) throw notFound("Server");
    const siblings = this.#reads.list(server, kind);
    const isTaken = isOnly && siblings.some((one) => one.shape === shape);
    if (isTaken || this.#reads.get(id) !== undefined) throw new Problem("conflict");
    if (siblings.length >= countMax) throw new Problem("limit_reached");
    const { number, sequence } = position;
    this.#insert.run(id, server, kind, shape, settingsJson, sealedSecrets, createdAt, sequence);
    this.#insertCursor.run(number, sequence);
    return { ...target, state: "active", stateReason: null, sinceSequence: sequence, version: 1 };
  }

  /** Implements `updateTarget` of the contract. */
  update(
    id: string,
    change: TargetChange,
    { now, version }: { readonly now: number; readonly version?: number },
  ): CallbackTarget | undefined {
    const before = this.#reads.get(id);
    if (before === undefined || (version !== undefined && version !== before.version)) return undefined;
    const { settingsJson, sealedSecrets, state, stateReason } = { ...before, ...change };
    const reason = state === "disabled" ? stateReason : null;
    overwriting(this.#database, () => {
      this.#update.run(settingsJson, sealedSecrets, state, reason, id);
    });
    if (state === "active" && before.state !== "active") {
      this.#resume.run(now, id);
      this.#failures.clear(id);
    }
    return this.#reads.get(id);
  }

  /** Disables a target after a response that demands it. */
  disable(id: string, reason: string): void {
    this.#disable.run(reason, id);
  }

  /** Disables an active target; false for another state. */
  disableActive(id: string, reason: string): boolean {
    return this.#disableActive.run(reason, id).changes > 0;
  }

  /** Removes a target; its deliveries are purged in the background. */
  remove(id: string): boolean {
    const target = this.#reads.get(id);
    if (target === undefined) return false;
    this.#removeOne(id);
    const position = this.#positionOf(target.server);
    if (position === undefined || this.#reads.list(target.server).length > 0) return true;
    this.#removeCursor.run(position.number);
    this.#journal.markOverlong(position.number, position.sequence);
    return true;
  }

  /** Removes the targets of a deleted server, and its cursor. */
  removeOfServer(server: ServerId, number: number): void {
    for (const { id } of this.#reads.list(server)) this.#removeOne(id);
    this.#removeCursor.run(number);
  }

  #positionOf(server: ServerId): { readonly number: number; readonly sequence: number } | undefined {
    return this.#position.get(server) as { readonly number: number; readonly sequence: number } | undefined;
  }

  #removeOne(id: string): void {
    overwriting(this.#database, () => {
      this.#remove.run(id);
    });
    this.#failures.clear(id);
    this.#enqueuePurge.run(id);
  }

  /** Moves the cursor of a server; false when it is not `from`. */
  moveCursor(server: ServerId, { from, to }: { readonly from: number; readonly to: number }): boolean {
    const position = this.#positionOf(server);
    if (position === undefined || this.#moveCursor.run(to, position.number, from).changes === 0) return false;
    this.#journal.noticeCursor(position.number, { cursor: from, sequence: position.sequence });
    return true;
  }
}
