import type { ApiKey } from "../../core/api-key.ts";
import { notFound, Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { KeyOwner } from "../../core/people.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { EndedSessions, IssuerSession, NewSignIn, SignIn, SignInStore } from "../key-store.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";

interface KeyRow extends Omit<ApiKey, "networks" | "former" | "owner"> {
  readonly networks: string;
  readonly formerHash: string | null;
  readonly formerUntil: number | null;
  readonly ownerUser: string | null;
  readonly ownerTeam: string | null;
}

const keyColumns = `id, name, hash, server, created_at as "createdAt", scope, expires_at as "expiresAt",
  requests_per_minute as "requestsPerMinute", networks, last_used_at as "lastUsedAt", former_hash as "formerHash",
  former_until as "formerUntil", owner_user as "ownerUser", owner_team as "ownerTeam"`;

/** Statements about API keys. Their guarantees are those of `KeyStore`. */
export class KeyRows extends DialectRows {
  *addKey(key: ApiKey): Query<void> {
    const { id, name, hash, server, createdAt, scope, expiresAt, requestsPerMinute, networks, lastUsedAt, owner } = key;
    if (server !== null) yield* requireServer(this.dialect, server);
    if (owner !== null) yield* requireOwner(this.dialect, owner);
    yield* this.#requireFree(hash);
    const limits = [scope, expiresAt, requestsPerMinute, JSON.stringify(networks), lastUsedAt];
    const former = [key.former?.hash ?? null, key.former?.until ?? null];
    const owners = (["user", "team"] as const).map((kind) => (owner?.kind === kind ? owner.id : null));
    const added = yield* rowsOf(
      `insert into api_key (id, name, hash, server, created_at, scope, expires_at, requests_per_minute, networks,
         last_used_at, former_hash, former_until, owner_user, owner_team)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict do nothing returning id`,
      [id, name, hash, server, createdAt, ...limits, ...former, ...owners],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listKeys(): Query<readonly ApiKey[]> {
    const rows = yield* rowsOf<KeyRow>(`select ${keyColumns} from api_key order by created_at, id`);
    return rows.map(toKey);
  }

  *findKey(hash: string): Query<ApiKey | undefined> {
    const sql = `select ${keyColumns} from api_key where hash = $1 or former_hash = $1`;
    const rows = yield* rowsOf<KeyRow>(sql, [hash]);
    const row = rows.find((one) => one.hash === hash) ?? rows[0];
    return row && toKey(row);
  }

  *removeKey(id: string): Query<boolean> {
    return (yield* this.removeKeys("id", id)) > 0;
  }

  /** Removes the keys with a value in a column, and their sign-ins; returns their number. */
  *removeKeys(column: "id" | "server" | "owner_user" | "owner_team", value: string): Query<number> {
    const sql = `delete from api_key where ${column} = $1 returning hash, former_hash as "formerHash"`;
    const removed = yield* rowsOf<Pick<KeyRow, "hash" | "formerHash">>(sql, [value]);
    yield* this.#endSignIns(removed.flatMap(({ hash, formerHash }) => [hash, formerHash]));
    return removed.length;
  }

  *rotateKey(id: string, hash: string, formerUntil: number | null): Query<ApiKey | undefined> {
    const sql = `select hash, former_hash as "formerHash" from api_key where id = $1 ${this.dialect.forUpdate}`;
    const [present] = yield* rowsOf<Pick<KeyRow, "hash" | "formerHash">>(sql, [id]);
    if (present === undefined) return undefined;
    yield* this.#requireFree(hash);
    yield* this.#endSignIns([present.formerHash, formerUntil === null ? present.hash : null]);
    const [row] = yield* rowsOf<KeyRow>(
      `update api_key set hash = $2, former_hash = $3, former_until = $4 where id = $1 returning ${keyColumns}`,
      [id, hash, formerUntil === null ? null : present.hash, formerUntil],
    );
    return row && toKey(row);
  }

  *noteKeyUse(id: string, at: number): Query<void> {
    yield* rowsOf(
      "update api_key set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)",
      [id, at],
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
}

function toKey({ networks, formerHash, formerUntil, ownerUser, ownerTeam, ...row }: KeyRow): ApiKey {
  const owner = ownerUser ?? ownerTeam;
  return {
    ...row,
    networks: JSON.parse(networks) as readonly string[],
    former: formerHash === null ? null : { hash: formerHash, until: formerUntil ?? 0 },
    owner: owner === null ? null : { kind: ownerUser === null ? "team" : "user", id: owner },
  };
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

/** Throws `not_found` without the owner, which else stays until the commit. */
export function* requireOwner(dialect: SqlDialect, { kind, id }: KeyOwner): Query<void> {
  const table = kind === "user" ? "account_user" : "team";
  const found = yield* rowsOf(`select 1 from ${table} where id = $1 ${dialect.forUpdate}`, [id]);
  if (found.length === 0) throw notFound(kind === "user" ? "User" : "Team");
}

const signInColumns = `name, kind, key_hash as "keyHash", user_id as "user", opened_at as "openedAt", used_at as "usedAt"`;
const issuerColumns = `name, user_id as "user", issuer, sid, tokens`;

/** Statements about browser sessions. Their guarantees are those of `SignInStore`. */
export class SignInRows extends DialectRows {
  *addSignIn(
    { name, kind, keyHash, user, openedAt, atIssuer }: NewSignIn,
    countMax: number,
    ofHolderMax = countMax,
  ): Query<void> {
    const { issuer = null, sid = null, tokens = null, refreshAt = null } = atIssuer ?? {};
    const added = yield* rowsOf(
      `insert into sign_in (name, kind, key_hash, user_id, opened_at, used_at, issuer, sid, tokens, refresh_at)
       values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9) on conflict do nothing returning name`,
      [name, kind, keyHash, user, openedAt, issuer, sid, tokens, refreshAt],
    );
    if (added.length === 0) throw new Problem("conflict");
    const isOfHolder = "and key_hash is not distinct from $4 and user_id is not distinct from $5";
    yield* this.#removeOldest(isOfHolder, [kind, name, ofHolderMax - 1, keyHash, user]);
    yield* this.#removeOldest("", [kind, name, countMax - 1]);
  }

  /** Removes the oldest sign-ins of a kind beyond a number, but for one. */
  *#removeOldest(condition: string, values: readonly unknown[]): Query<void> {
    const oldest = yield* rowsOf<Pick<SignIn, "name">>(
      `select name from sign_in where kind = $1 and name <> $2 ${condition}
       order by opened_at desc, name limit ${Number.MAX_SAFE_INTEGER} offset cast($3 as integer)`,
      values,
    );
    if (oldest.length === 0) return;
    const names = this.dialect.list(oldest.map((row) => row.name));
    yield* rowsOf(`delete from sign_in where ${this.dialect.isAmong("name", "$1", "text")}`, [names]);
  }

  *findSignIn(name: string): Query<SignIn | undefined> {
    return (yield* rowsOf<SignIn>(`select ${signInColumns} from sign_in where name = $1`, [name]))[0];
  }

  *useSignIn(name: string, at: number): Query<void> {
    yield* rowsOf("update sign_in set used_at = $2 where name = $1 and used_at < $2", [name, at]);
  }

  *takeToken(name: string): Query<SignIn | undefined> {
    const sql = `delete from sign_in where name = $1 and kind = 'token' returning ${signInColumns}`;
    return (yield* rowsOf<SignIn>(sql, [name]))[0];
  }

  *removeSignIn(name: string): Query<boolean> {
    return (yield* rowsOf("delete from sign_in where name = $1 returning name", [name])).length > 0;
  }

  *removeSignInsOfUser(user: string): Query<number> {
    return (yield* rowsOf("delete from sign_in where user_id = $1 returning name", [user])).length;
  }

  *findIssuerSession(name: string): Query<IssuerSession | undefined> {
    const sql = `select ${issuerColumns} from sign_in where name = $1 and issuer is not null`;
    return (yield* rowsOf<IssuerSession>(sql, [name]))[0];
  }

  *takeRefreshes({
    now,
    next,
    countMax,
  }: Parameters<SignInStore["takeRefreshes"]>[0]): Query<readonly IssuerSession[]> {
    return yield* rowsOf<IssuerSession>(
      `update sign_in set refresh_at = $2 where refresh_at <= $1 and name in
         (select name from sign_in where refresh_at <= $1 order by refresh_at limit $3 + 0)
       returning ${issuerColumns}`,
      [now, next, countMax],
    );
  }

  *storeTokens(name: string, tokens: string): Query<void> {
    yield* rowsOf("update sign_in set tokens = $2 where name = $1 and issuer is not null", [name, tokens]);
  }

  *removeIssuerSessions(ended: EndedSessions): Query<number> {
    const { issuer } = ended;
    const rows =
      "sid" in ended
        ? yield* rowsOf("delete from sign_in where issuer = $1 and sid = $2 returning name", [issuer, ended.sid])
        : yield* rowsOf("delete from sign_in where issuer = $1 and user_id = $2 and opened_at < $3 returning name", [
            issuer,
            ended.user,
            ended.openedBefore,
          ]);
    return rows.length;
  }

  *forgetSignIns({ openedBefore, usedBefore }: Parameters<SignInStore["forgetSignIns"]>[0]): Query<number> {
    const sql = "delete from sign_in where opened_at < $1 or used_at < $2 returning name";
    return (yield* rowsOf(sql, [openedBefore, usedBefore])).length;
  }
}
