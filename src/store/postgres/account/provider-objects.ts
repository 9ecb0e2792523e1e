import { notFound, Problem } from "../../../core/errors.ts";
import type {
  ProviderObjectChange,
  ProviderObjectKey,
  ProviderObjectPage,
  ProviderObjectScope,
  ProviderObjectStore,
  StoredProviderObject,
} from "../../provider-object-store.ts";
import type { Database, Session } from "../connection/database.ts";
import { fromText, toText } from "../connection/text.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";

interface ObjectRow {
  readonly server_id: number;
  readonly provider: string;
  readonly kind: string;
  readonly id: string;
  readonly value: string;
  readonly version: number;
  readonly created_at: number;
  readonly expires_at: number | null;
}

/** `server_id` of objects of the account. */
const accountNumber = -1;
const columns = "server_id, provider, kind, id, value, version, created_at, expires_at";
const ofScope = "server_id = $1 and provider = $2 and kind = $3";

/** Objects of providers' APIs. */
export class ProviderObjects implements ProviderObjectStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async getObject(key: ProviderObjectKey, now: number): Promise<StoredProviderObject | undefined> {
    const [row] = await selectObject(this.#database, { key, now, lock: "" });
    return row === undefined ? undefined : toObject(row);
  }

  async listObjects(
    scope: ProviderObjectScope,
    { offset, limit, now }: ProviderObjectPage,
  ): Promise<readonly StoredProviderObject[]> {
    const rows = await this.#database.query<ObjectRow>(
      `select ${columns} from provider_object where ${ofScope} and (expires_at is null or expires_at > $4)
       order by created_at, id limit $5 offset $6`,
      [...valuesOf(scope), now, limit, offset],
    );
    return rows.map(toObject);
  }

  async putObject(change: ProviderObjectChange): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const { json, expiresAt, now, version } = change;
      const key = [...valuesOf(change), toText(change.id)] as const;
      const [present] = await selectObject(session, { key: change, now, lock: "for update" });
      if (version !== null && version !== (present?.version ?? 0)) return false;
      if (present !== undefined) {
        const sql = `update provider_object set value = $5, expires_at = $6, version = version + 1
          where ${ofScope} and id = $4`;
        await session.query(sql, [...key, json, expiresAt]);
        return true;
      }
      await requirePlace(session, change);
      await session.query(`delete from provider_object where ${ofScope} and id = $4 and expires_at <= $5`, [
        ...key,
        now,
      ]);
      const added = await session.query(
        `insert into provider_object (${columns}) values ($1, $2, $3, $4, $5, 1, $6, $7)
         on conflict (server_id, provider, kind, id) do nothing returning version`,
        [...key, json, now, expiresAt],
      );
      // Another node was faster: without an expected version, its value is the earlier one and this one replaces it.
      if (added.length > 0 || version !== null) return added.length > 0;
      await session.query(
        `update provider_object set value = $5, expires_at = $6, version = version + 1 where ${ofScope} and id = $4`,
        [...key, json, expiresAt],
      );
      return true;
    });
  }

  async removeObject(key: ProviderObjectKey, now: number): Promise<boolean> {
    const removed = await this.#database.query(
      `delete from provider_object where ${ofScope} and id = $4 and (expires_at is null or expires_at > $5) returning id`,
      [...valuesOf(key), toText(key.id), now],
    );
    return removed.length > 0;
  }

  async removeExpiredObjects(now: number, countMax: number): Promise<number> {
    const removed = await this.#database.query(
      `delete from provider_object where (server_id, provider, kind, id) in (
         select server_id, provider, kind, id from provider_object where expires_at <= $1 order by expires_at limit $2)
       returning id`,
      [now, countMax],
    );
    return removed.length;
  }

  async walkObjects(after: ProviderObjectKey | null, limit: number): Promise<readonly StoredProviderObject[]> {
    const place = after === null ? [accountNumber - 1, "", "", ""] : [...valuesOf(after), toText(after.id)];
    const rows = await this.#database.query<ObjectRow>(
      `select ${columns} from provider_object where (server_id, provider, kind, id) > ($1::bigint, $2, $3, $4)
         and expires_at is null order by server_id, provider, kind, id limit $5`,
      [...place, limit],
    );
    return rows.map(toObject);
  }
}

async function selectObject(
  session: Session,
  { key, now, lock }: { readonly key: ProviderObjectKey; readonly now: number; readonly lock: "" | "for update" },
): Promise<readonly ObjectRow[]> {
  return await session.query<ObjectRow>(
    `select ${columns} from provider_object where ${ofScope} and id = $4 and (expires_at is null or expires_at > $5) ${lock}`,
    [...valuesOf(key), toText(key.id), now],
  );
}

/** Rejects with `not_found` without the server, and with `limit_reached`; nodes may exceed the limit together. */
async function requirePlace(session: Session, change: ProviderObjectChange): Promise<void> {
  const [server] = valuesOf(change);
  if (change.server !== null) {
    // The lock keeps the server until the object is stored with it.
    const found = await session.query("select 1 from server where server_id = $1 for share", [server]);
    if (found.length === 0) throw notFound("Server");
  }
  const [row] = await session.query<{ count: number }>(
    `select count(*)::int4 as count from provider_object where ${ofScope}`,
    valuesOf(change),
  );
  if ((row?.count ?? 0) >= change.countMax) throw new Problem("limit_reached");
}

function valuesOf({ server, provider, kind }: ProviderObjectScope): readonly [number, string, string] {
  return [server === null ? accountNumber : serverNumberOf(server), toText(provider), toText(kind)];
}

function toObject(row: ObjectRow): StoredProviderObject {
  return {
    provider: fromText(row.provider),
    server: row.server_id === accountNumber ? null : serverIdOf(row.server_id),
    kind: fromText(row.kind),
    id: fromText(row.id),
    json: row.value,
    version: row.version,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
