import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ApiKey, KeyScope } from "../../../core/api-key.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";

const keyColumns = `id, name, hash, server, created_at, scope, expires_at, requests_per_minute, networks, last_used_at,
  former_hash, former_until`;

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly server: ServerId | null;
  readonly created_at: number;
  readonly scope: KeyScope;
  readonly expires_at: number | null;
  readonly requests_per_minute: number | null;
  readonly networks: string;
  readonly last_used_at: number | null;
  readonly former_hash: string | null;
  readonly former_until: number | null;
}

/** Queries of API keys. */
export class KeyReads {
  readonly #byHash: StatementSync;
  readonly #all: StatementSync;

  constructor(database: DatabaseSync) {
    this.#byHash = database.prepare(
      `select ${keyColumns} from api_key where hash = ?1 union all
       select ${keyColumns} from api_key where former_hash = ?1 limit 1`,
    );
    this.#all = database.prepare(`select ${keyColumns} from api_key order by created_at, id`);
  }

  find(hash: string): ApiKey | undefined {
    const row = this.#byHash.get(hash);
    return row === undefined ? undefined : toKey(row);
  }

  list(): readonly ApiKey[] {
    return this.#all.all().map(toKey);
  }
}

/** Calls of the writer thread about API keys, as in the contract. */
export interface KeyCalls {
  addKey(key: ApiKey): void;
  removeKey(id: string): boolean;
  rotateKey(id: string, hash: string, formerUntil: number | null): ApiKey | undefined;
  noteKeyUse(id: string, at: number): void;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindKeyCalls(database: DatabaseSync): KeyCalls {
  const taken = database.prepare("select 1 from api_key where id = ?1 or hash = ?2 or former_hash = ?2");
  const server = database.prepare("select 1 from server where id = ?");
  const insert = database.prepare(`insert into api_key (${keyColumns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const remove = database.prepare("delete from api_key where id = ?");
  const get = database.prepare(`select ${keyColumns} from api_key where id = ?`);
  const dropSignIns = database.prepare("delete from sign_in where key_hash = ?");
  const rotate = database.prepare("update api_key set hash = ?2, former_hash = ?3, former_until = ?4 where id = ?1");
  const use = database.prepare(
    "update api_key set last_used_at = ?2 where id = ?1 and (last_used_at is null or last_used_at < ?2)",
  );
  const find = (id: string): ApiKey | undefined => {
    const row = get.get(id);
    return row === undefined ? undefined : toKey(row);
  };
  return {
    addKey: (key) => {
      if (key.server !== null && server.get(key.server) === undefined) throw notFound("Server");
      if (taken.get(key.id, key.hash) !== undefined) throw new Problem("conflict");
      const { id, name, hash, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt, former } = key;
      const limits = [scope, expiresAt, requestsPerMinute, JSON.stringify(networks)] as const;
      insert.run(
        id,
        name,
        hash,
        key.server,
        createdAt,
        ...limits,
        lastUsedAt,
        former?.hash ?? null,
        former?.until ?? null,
      );
    },
    removeKey: (id) => remove.run(id).changes > 0,
    rotateKey: (id, hash, formerUntil) => {
      const key = find(id);
      if (key === undefined) return undefined;
      if (taken.get("", hash) !== undefined) throw new Problem("conflict");
      if (key.former !== null) dropSignIns.run(key.former.hash);
      if (formerUntil === null) dropSignIns.run(key.hash);
      rotate.run(id, hash, formerUntil === null ? null : key.hash, formerUntil);
      return find(id);
    },
    noteKeyUse: (id, at) => {
      use.run(id, at);
    },
  };
}

function toKey(columns: unknown): ApiKey {
  const row = columns as KeyRow;
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    server: row.server,
    createdAt: row.created_at,
    scope: row.scope,
    expiresAt: row.expires_at,
    requestsPerMinute: row.requests_per_minute,
    networks: JSON.parse(row.networks) as readonly string[],
    lastUsedAt: row.last_used_at,
    former: row.former_hash === null ? null : { hash: row.former_hash, until: row.former_until ?? 0 },
  };
}
