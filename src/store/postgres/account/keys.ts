import type { ApiKey, KeyScope } from "../../../core/api-key.ts";
import { notFound, Problem } from "../../../core/errors.ts";
import type { Database } from "../connection/database.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";
import { removeKeys } from "./remove-keys.ts";
import { lockServer } from "./servers.ts";
import { fromText, toText } from "../connection/text.ts";

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly server_id: number | null;
  readonly created_at: number;
  readonly scope: KeyScope;
  readonly expires_at: number | null;
  readonly requests_per_minute: number | null;
  readonly networks: string;
  readonly last_used_at: number | null;
  readonly former_hash: string | null;
  readonly former_until: number | null;
}

const columns = `id, name, hash, server_id, created_at, scope, expires_at, requests_per_minute, networks, last_used_at,
  former_hash, former_until`;

/** API keys. */
export class Keys {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(key: ApiKey): Promise<void> {
    const { id, name, hash, server, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt } = key;
    await this.#database.transact(async (session) => {
      if (server !== null && (await lockServer(session, server)) === undefined) throw notFound("Server");
      const number = server === null ? null : serverNumberOf(server);
      const limits = [scope, expiresAt, requestsPerMinute, JSON.stringify(networks), lastUsedAt];
      const former = [key.former?.hash ?? null, key.former?.until ?? null];
      const [row] = await session.query(
        `insert into api_key (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         on conflict do nothing returning id`,
        [toText(id), toText(name), toText(hash), number, createdAt, ...limits, ...former],
      );
      if (row === undefined) throw new Problem("conflict");
    });
  }

  /** Returns all keys, oldest first. */
  async list(): Promise<readonly ApiKey[]> {
    return (await this.#database.query<KeyRow>(`select ${columns} from api_key order by created_at, id`)).map(toKey);
  }

  async find(hash: string): Promise<ApiKey | undefined> {
    const wanted = toText(hash);
    const rows = await this.#database.query<KeyRow>(
      `select ${columns} from api_key where hash = $1 or former_hash = $1`,
      [wanted],
    );
    const row = rows.find((one) => one.hash === wanted) ?? rows[0];
    return row === undefined ? undefined : toKey(row);
  }

  async remove(id: string): Promise<boolean> {
    return await this.#database.transact(async (session) => (await removeKeys(session, { id: toText(id) })) > 0);
  }

  async rotate(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined> {
    return await this.#database.transact(async (session) => {
      const [key] = await session.query<KeyRow>(`select ${columns} from api_key where id = $1 for update`, [
        toText(id),
      ]);
      if (key === undefined) return undefined;
      const taken = await session.query("select id from api_key where hash = $1 or former_hash = $1", [hash]);
      if (taken.length > 0) throw new Problem("conflict");
      const ended = [
        ...(key.former_hash === null ? [] : [key.former_hash]),
        ...(formerUntil === null ? [key.hash] : []),
      ];
      await session.query("delete from sign_in where key_hash = any($1::text[])", [ended]);
      const [row] = await session.query<KeyRow>(
        `update api_key set hash = $2, former_hash = $3, former_until = $4 where id = $1 returning ${columns}`,
        [toText(id), hash, formerUntil === null ? null : key.hash, formerUntil],
      );
      return row === undefined ? undefined : toKey(row);
    });
  }

  async noteUse(id: string, at: number): Promise<void> {
    await this.#database.query(
      "update api_key set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)",
      [toText(id), at],
    );
  }
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: fromText(row.id),
    name: fromText(row.name),
    hash: fromText(row.hash),
    server: row.server_id === null ? null : serverIdOf(row.server_id),
    createdAt: row.created_at,
    scope: row.scope,
    expiresAt: row.expires_at,
    requestsPerMinute: row.requests_per_minute,
    networks: JSON.parse(row.networks) as readonly string[],
    lastUsedAt: row.last_used_at,
    former: row.former_hash === null ? null : { hash: row.former_hash, until: row.former_until ?? 0 },
  };
}
