import type { ApiKey } from "../../core/api-key.ts";
import { notFound, Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";

interface KeyRow extends Omit<ApiKey, "server" | "networks" | "former"> {
  readonly server: string | number | null;
  readonly networks: string;
  readonly formerHash: string | null;
  readonly formerUntil: number | null;
}

/** Statements about API keys. Their guarantees are those of `KeyStore`. */
export class KeyRows extends DialectRows {
  readonly #columns: string = `id, name, hash, ${this.dialect.serverColumn} as server, created_at as "createdAt", scope,
    expires_at as "expiresAt", requests_per_minute as "requestsPerMinute", networks, last_used_at as "lastUsedAt",
    former_hash as "formerHash", former_until as "formerUntil"`;

  *addKey(key: ApiKey): Query<void> {
    const { toText, toServer, serverColumn } = this.dialect;
    const { id, name, hash, server, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt } = key;
    if (server !== null) yield* requireServer(this.dialect, server);
    yield* this.#requireFree(hash);
    const limits = [scope, expiresAt, requestsPerMinute, JSON.stringify(networks), lastUsedAt];
    const former = [key.former?.hash ?? null, key.former?.until ?? null];
    const added = yield* rowsOf(
      `insert into api_key (id, name, hash, ${serverColumn}, created_at, scope, expires_at, requests_per_minute, networks,
         last_used_at, former_hash, former_until) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict do nothing returning id`,
      [toText(id), toText(name), toText(hash), server && toServer(server), createdAt, ...limits, ...former],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listKeys(): Query<readonly ApiKey[]> {
    const rows = yield* rowsOf<KeyRow>(`select ${this.#columns} from api_key order by created_at, id`);
    return rows.map((row) => this.#toKey(row));
  }

  *findKey(hash: string): Query<ApiKey | undefined> {
    const wanted = this.dialect.toText(hash);
    const sql = `select ${this.#columns} from api_key where hash = $1 or former_hash = $1`;
    const rows = yield* rowsOf<KeyRow>(sql, [wanted]);
    const row = rows.find((one) => one.hash === wanted) ?? rows[0];
    return row && this.#toKey(row);
  }

  *removeKey(id: string): Query<boolean> {
    return (yield* this.removeKeys("id", this.dialect.toText(id))) > 0;
  }

  /** Removes the keys with a value in a column, and their sign-ins; returns their number. */
  *removeKeys(column: string, value: string | number): Query<number> {
    const sql = `delete from api_key where ${column} = $1 returning hash, former_hash as "formerHash"`;
    const removed = yield* rowsOf<Pick<KeyRow, "hash" | "formerHash">>(sql, [value]);
    yield* this.#endSignIns(removed.flatMap(({ hash, formerHash }) => [hash, formerHash]));
    return removed.length;
  }

  *rotateKey(id: string, hash: string, formerUntil: number | null): Query<ApiKey | undefined> {
    const key = this.dialect.toText(id);
    const sql = `select hash, former_hash as "formerHash" from api_key where id = $1 ${this.dialect.forUpdate}`;
    const [present] = yield* rowsOf<Pick<KeyRow, "hash" | "formerHash">>(sql, [key]);
    if (present === undefined) return undefined;
    yield* this.#requireFree(hash);
    yield* this.#endSignIns([present.formerHash, formerUntil === null ? present.hash : null]);
    const [row] = yield* rowsOf<KeyRow>(
      `update api_key set hash = $2, former_hash = $3, former_until = $4 where id = $1 returning ${this.#columns}`,
      [key, hash, formerUntil === null ? null : present.hash, formerUntil],
    );
    return row && this.#toKey(row);
  }

  *noteKeyUse(id: string, at: number): Query<void> {
    yield* rowsOf(
      "update api_key set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)",
      [this.dialect.toText(id), at],
    );
  }

  *#requireFree(hash: string): Query<void> {
    const taken = yield* rowsOf("select 1 from api_key where hash = $1 or former_hash = $1", [hash]);
    if (taken.length > 0) throw new Problem("conflict");
  }

  *#endSignIns(hashes: readonly (string | null)[]): Query<void> {
    const ended = hashes.filter((hash) => hash !== null);
    if (ended.length === 0) return;
    const { isAmong, list } = this.dialect;
    yield* rowsOf(`delete from sign_in where ${isAmong("key_hash", "$1", "text")}`, [list(ended)]);
  }

  #toKey({ networks, formerHash, formerUntil, ...row }: KeyRow): ApiKey {
    const { fromText, fromServer } = this.dialect;
    return {
      ...row,
      id: fromText(row.id),
      name: fromText(row.name),
      hash: fromText(row.hash),
      server: row.server === null ? null : fromServer(row.server),
      networks: JSON.parse(networks) as readonly string[],
      former: formerHash === null ? null : { hash: formerHash, until: formerUntil ?? 0 },
    };
  }
}

/** Returns whether there is a server, which then stays until the commit. */
export function* hasServer(dialect: SqlDialect, server: ServerId): Query<boolean> {
  const sql = `select 1 from server where ${dialect.serverKey} = $1 ${dialect.forUpdate}`;
  return (yield* rowsOf(sql, [dialect.toServer(server)])).length > 0;
}

/** Throws `not_found` without the server, which else stays until the commit. */
export function* requireServer(dialect: SqlDialect, server: ServerId): Query<void> {
  if (!(yield* hasServer(dialect, server))) throw notFound("Server");
}
