import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type {
  ProviderObjectChange,
  ProviderObjectKey,
  ProviderObjectPage,
  ProviderObjectScope,
  StoredProviderObject,
} from "../provider-object-store.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { DialectRows } from "../sql/dialect.ts";
import { requireServer } from "./key-rows.ts";

/** Row of an object; the server of those of the account is "". */
type ObjectRow = Omit<StoredProviderObject, "server"> & { readonly server: ServerId | "" };

/** Columns of the primary key. */
const keyColumns = "server, provider, kind, id";
const selected = `select ${keyColumns}, value as json, version, created_at as "createdAt", expires_at as "expiresAt"
  from provider_object`;
const ofScope = "server = $1 and provider = $2 and kind = $3";
const isOpen = (now: string): string => `(expires_at is null or expires_at > ${now})`;

/** Statements about objects of providers' APIs. Their guarantees are those of `ProviderObjectStore`. */
export class ProviderObjectRows extends DialectRows {
  *getObject(key: ProviderObjectKey, now: number): Query<StoredProviderObject | undefined> {
    return yield* this.#find(key, now, "");
  }

  *listObjects(
    scope: ProviderObjectScope,
    { offset, limit, now }: ProviderObjectPage,
  ): Query<readonly StoredProviderObject[]> {
    const rows = yield* rowsOf<ObjectRow>(
      `${selected} where ${ofScope} and ${isOpen("$4")}
       order by created_at, id limit cast($5 as integer) offset cast($6 as integer)`,
      [...valuesOf(scope), now, limit, offset],
    );
    return rows.map(toObject);
  }

  *putObject(change: ProviderObjectChange): Query<boolean> {
    const { json, expiresAt, now, version } = change;
    const key = [...valuesOf(change), change.id];
    const present = yield* this.#find(change, now, this.dialect.forUpdate);
    if (version !== null && version !== (present?.version ?? 0)) return false;
    if (present === undefined) {
      yield* this.#requirePlace(change);
      yield* rowsOf(`delete from provider_object where ${ofScope} and id = $4 and expires_at <= $5`, [...key, now]);
      const added = yield* rowsOf(
        `insert into provider_object (${keyColumns}, value, version, created_at, expires_at)
         values ($1, $2, $3, $4, $5, 1, $6, $7) on conflict (${keyColumns}) do nothing returning version`,
        [...key, json, now, expiresAt],
      );
      // Another node was faster: without an expected version, its value is the earlier one and this one replaces it.
      if (added.length > 0 || version !== null) return added.length > 0;
    }
    yield* rowsOf(
      `update provider_object set value = $5, expires_at = $6, version = version + 1 where ${ofScope} and id = $4`,
      [...key, json, expiresAt],
    );
    return true;
  }

  *removeObject(key: ProviderObjectKey, now: number): Query<boolean> {
    const removed = yield* rowsOf(
      `delete from provider_object where ${ofScope} and id = $4 and ${isOpen("$5")} returning id`,
      [...valuesOf(key), key.id, now],
    );
    return removed.length > 0;
  }

  *removeExpiredObjects(now: number, countMax: number): Query<number> {
    const removed = yield* rowsOf(
      `delete from provider_object where (${keyColumns}) in (
         select ${keyColumns} from provider_object where expires_at <= $1 order by expires_at limit cast($2 as integer))
       returning id`,
      [now, countMax],
    );
    return removed.length;
  }

  *walkObjects(after: ProviderObjectKey | null, limit: number): Query<readonly StoredProviderObject[]> {
    const place = `(${keyColumns}) > ($2, $3, $4, $5)`;
    const rows = yield* rowsOf<ObjectRow>(
      `${selected} where expires_at is null ${after === null ? "" : `and ${place}`}
       order by ${keyColumns} limit cast($1 as integer)`,
      after === null ? [limit] : [limit, ...valuesOf(after), after.id],
    );
    return rows.map(toObject);
  }

  *#find(key: ProviderObjectKey, now: number, lock: string): Query<StoredProviderObject | undefined> {
    const [row] = yield* rowsOf<ObjectRow>(`${selected} where ${ofScope} and id = $4 and ${isOpen("$5")} ${lock}`, [
      ...valuesOf(key),
      key.id,
      now,
    ]);
    return row && toObject(row);
  }

  /** Throws `not_found` without the server, and `limit_reached`; nodes may exceed the limit together. */
  *#requirePlace(change: ProviderObjectChange): Query<void> {
    if (change.server !== null) yield* requireServer(this.dialect, change.server);
    const [row] = yield* rowsOf<{ readonly count: number }>(
      `select cast(count(*) as integer) as count from provider_object where ${ofScope}`,
      valuesOf(change),
    );
    if ((row?.count ?? 0) >= change.countMax) throw new Problem("limit_reached");
  }
}

function valuesOf({ server, provider, kind }: ProviderObjectScope): readonly string[] {
  return [server ?? "", provider, kind];
}

function toObject({ server, ...rest }: ObjectRow): StoredProviderObject {
  return { ...rest, server: server || null };
}
