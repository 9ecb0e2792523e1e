/** Statements about what belongs to the account: devices, usage, zone files, and the audit log. */
import { auditCategoryOf, type AuditCategory, type AuditEntry } from "../../core/audit-entry.ts";
import type { StoredDevice } from "../../core/device.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { DayUsage } from "../../core/server.ts";
import type { AuditPage } from "../audit-store.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { hasServer } from "./key-rows.ts";

const selected = `select id, name, sealed_secret as "sealedSecret", created_at as "createdAt" from device`;

/** Statements about devices. Their guarantees are those of `AccountStore`. */
export class DeviceRows extends DialectRows {
  *addDevice({ id, name, sealedSecret, createdAt }: StoredDevice): Query<void> {
    const { toText } = this.dialect;
    const added = yield* rowsOf(
      `insert into device (id, name, sealed_secret, created_at) values ($1, $2, $3, $4)
       on conflict do nothing returning id`,
      [toText(id), toText(name), sealedSecret, createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listDevices(): Query<readonly StoredDevice[]> {
    return (yield* rowsOf<StoredDevice>(`${selected} order by created_at, id`)).map((row) => this.#toDevice(row));
  }

  *getDevice(id: string): Query<StoredDevice | undefined> {
    const [row] = yield* rowsOf<StoredDevice>(`${selected} where id = $1`, [this.dialect.toText(id)]);
    return row && this.#toDevice(row);
  }

  *removeDevice(id: string): Query<boolean> {
    return (yield* rowsOf("delete from device where id = $1 returning id", [this.dialect.toText(id)])).length > 0;
  }

  #toDevice({ id, name, ...rest }: StoredDevice): StoredDevice {
    const { fromText } = this.dialect;
    return { ...rest, id: fromText(id), name: fromText(name) };
  }
}

/** Number of the server of counts that were imported. */
const noServer = 0;

/** Statements about the number of messages by day, which are counted where they are stored. */
export class UsageRows extends DialectRows {
  *listUsage(sinceDay: number): Query<readonly DayUsage[]> {
    const rows = yield* rowsOf<DayUsage>(
      `/* all servers */ select day, cast(sum(email) as bigint) as email, cast(sum(sms) as bigint) as sms
       from usage where day >= $1 group by day order by day`,
      [sinceDay],
    );
    return rows.map((row) => ({ ...row }));
  }

  *raiseUsage(usage: readonly DayUsage[]): Query<void> {
    if (usage.length === 0) return;
    // The lock serialises callers, so that nothing is added twice.
    yield* rowsOf(`select 1 from state ${this.dialect.forUpdate}`);
    const stored = yield* this.listUsage(Math.min(...usage.map(({ day }) => day)));
    const byDay = new Map(stored.map((one) => [one.day, one]));
    for (const { day, email, sms } of usage) {
      const former = byDay.get(day);
      yield* this.#count(day, Math.max(0, email - (former?.email ?? 0)), Math.max(0, sms - (former?.sms ?? 0)));
    }
  }

  /** PostgreSQL counts by server, so that servers do not wait for each other; these counts belong to none. */
  *#count(day: number, email: number, sms: number): Query<void> {
    if (email + sms === 0) return;
    const isByServer = this.dialect.name === "postgres";
    const [key, values] = isByServer ? ["server_id, day", "$1, $2, $3, $4"] : ["day", "$1, $2, $3"];
    yield* rowsOf(
      `insert into usage (${key}, email, sms) values (${values})
       on conflict (${key}) do update set email = usage.email + excluded.email, sms = usage.sms + excluded.sms`,
      isByServer ? [noServer, day, email, sms] : [day, email, sms],
    );
  }
}

/** Statements about zone files of servers. Their guarantees are those of `AccountStore`. */
export class ZoneRows extends DialectRows {
  *putZone(server: ServerId, zone: string): Query<boolean> {
    const { serverColumn, toServer, toText } = this.dialect;
    if (!(yield* hasServer(this.dialect, server))) return false;
    yield* rowsOf(
      `insert into dns_zone (${serverColumn}, zone) values ($1, $2)
       on conflict (${serverColumn}) do update set zone = excluded.zone`,
      [toServer(server), toText(zone)],
    );
    return true;
  }

  *getZone(server: ServerId): Query<string | undefined> {
    const { serverColumn, toServer, fromText } = this.dialect;
    const sql = `select zone from dns_zone where ${serverColumn} = $1`;
    const [row] = yield* rowsOf<{ readonly zone: string }>(sql, [toServer(server)]);
    return row && fromText(row.zone);
  }

  *removeZone(server: ServerId): Query<boolean> {
    const { serverColumn, toServer } = this.dialect;
    const sql = `delete from dns_zone where ${serverColumn} = $1 returning 1 as one`;
    return (yield* rowsOf(sql, [toServer(server)])).length > 0;
  }
}

/** Statements about the audit log. Their guarantees are those of `AuditStore`. */
export class AuditRows {
  *appendAudit(entries: readonly AuditEntry[]): Query<void> {
    const sql = "insert into audit (id, category, user_id, entry) values ($1, $2, $3, $4) on conflict do nothing";
    for (const entry of entries) {
      const { id, action, user = null } = entry;
      yield* rowsOf(sql, [id, auditCategoryOf(action), user, JSON.stringify(entry)]);
    }
  }

  *listAudit(page: number, itemsPerPage: number, user?: string): Query<AuditPage> {
    const rows = yield* rowsOf<{ readonly entry: string }>(
      `select entry from audit ${user === undefined ? "" : "where user_id = $3"}
       order by id desc limit cast($1 as integer) offset cast($2 as integer)`,
      [itemsPerPage + 1, page * itemsPerPage, ...(user === undefined ? [] : [user])],
    );
    const entries = rows.slice(0, itemsPerPage).map(({ entry }) => JSON.parse(entry) as AuditEntry);
    return { entries, hasMore: rows.length > itemsPerPage };
  }

  *trimAudit(category: AuditCategory, countMax: number): Query<void> {
    const [last] = yield* rowsOf<{ readonly id: string }>(
      "select id from audit where category = $1 order by id desc limit 1 offset cast($2 as integer)",
      [category, countMax],
    );
    if (last !== undefined) yield* rowsOf("delete from audit where category = $1 and id <= $2", [category, last.id]);
  }
}
