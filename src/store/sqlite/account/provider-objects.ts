/** Table of objects of providers' APIs. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { notFound, Problem } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import type {
  ProviderObjectChange,
  ProviderObjectKey,
  ProviderObjectPage,
  ProviderObjectScope,
  StoredProviderObject,
} from "../../provider-object-store.ts";

type ObjectRow = Omit<StoredProviderObject, "server"> & { readonly server: string };

const columns =
  "server, provider, kind, id, value as json, version, created_at as createdAt, expires_at as expiresAt from provider_object";
const ofScope = "server = ? and provider = ? and kind = ?";
const isOpen = "(expires_at is null or expires_at > ?)";

/** Queries of objects. */
export class ProviderObjectReads {
  readonly #get: StatementSync;
  readonly #list: StatementSync;
  readonly #walk: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare(`select ${columns} where ${ofScope} and id = ? and ${isOpen}`);
    this.#list = database.prepare(
      `select ${columns} where ${ofScope} and ${isOpen} order by created_at, id limit ? + 0 offset ?`,
    );
    this.#walk = database.prepare(
      `select ${columns} where (server, provider, kind, id) > (?, ?, ?, ?) and expires_at is null
       order by server, provider, kind, id limit ? + 0`,
    );
  }

  get(key: ProviderObjectKey, now: number): StoredProviderObject | undefined {
    const row = this.#get.get(...valuesOf(key), key.id, now);
    return row === undefined ? undefined : toObject(row as unknown as ObjectRow);
  }

  list(scope: ProviderObjectScope, { offset, limit, now }: ProviderObjectPage): readonly StoredProviderObject[] {
    return this.#list.all(...valuesOf(scope), now, limit, offset).map((row) => toObject(row as unknown as ObjectRow));
  }

  walk(after: ProviderObjectKey | null, limit: number): readonly StoredProviderObject[] {
    const place = after === null ? ["", "", "", ""] : [...valuesOf(after), after.id];
    return this.#walk.all(...place, limit).map((row) => toObject(row as unknown as ObjectRow));
  }
}

/** Calls of the writer thread that change objects, as in the contract. */
export interface ProviderObjectCalls {
  putObject(change: ProviderObjectChange): boolean;
  removeObject(key: ProviderObjectKey, now: number): boolean;
  removeExpiredObjects(now: number, countMax: number): number;
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindProviderObjectCalls(database: DatabaseSync): ProviderObjectCalls {
  const reads = new ProviderObjectReads(database);
  const hasServer = database.prepare("select 1 from server where id = ?");
  const count = database.prepare(`select count(*) as count from provider_object where ${ofScope}`);
  const insert = database.prepare(
    `insert or replace into provider_object (server, provider, kind, id, value, expires_at, version, created_at)
     values (?, ?, ?, ?, ?, ?, 1, ?)`,
  );
  const replace = database.prepare(
    `update provider_object set value = ?, expires_at = ?, version = version + 1 where ${ofScope} and id = ?`,
  );
  const remove = database.prepare(`delete from provider_object where ${ofScope} and id = ? and ${isOpen}`);
  const expire = database.prepare(
    `delete from provider_object where rowid in
       (select rowid from provider_object where expires_at <= ? order by expires_at limit ? + 0)`,
  );
  return {
    putObject: (change) => {
      const { server, json, expiresAt, now, countMax } = change;
      const scope = valuesOf(change);
      const present = reads.get(change, now);
      if (change.version !== null && change.version !== (present?.version ?? 0)) return false;
      if (present !== undefined) {
        replace.run(json, expiresAt, ...scope, change.id);
        return true;
      }
      if (server !== null && hasServer.get(server) === undefined) throw notFound("Server");
      if (Number(count.get(...scope)?.["count"]) >= countMax) throw new Problem("limit_reached");
      insert.run(...scope, change.id, json, expiresAt, now);
      return true;
    },
    removeObject: (key, now) => remove.run(...valuesOf(key), key.id, now).changes > 0,
    removeExpiredObjects: (now, countMax) => Number(expire.run(now, countMax).changes),
  };
}

function valuesOf({ server, provider, kind }: ProviderObjectScope): readonly [string, string, string] {
  return [server ?? "", provider, kind];
}

function toObject({ server, ...row }: ObjectRow): StoredProviderObject {
  return { ...row, server: server === "" ? null : (server as ServerId) };
}
