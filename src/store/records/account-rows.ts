/** Statements about what belongs to the account: devices, usage, zone files, and the audit log. */
import { auditCategoryOf, type AuditCategory, type AuditEntry } from "../../core/audit-entry.ts";
import type { StoredDevice } from "../../core/device.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { DayUsage } from "../../core/server.ts";
import {
  addUsage,
  noUsage,
  usageCountNames,
  type ServerUsageCounts,
  type TeamDayUsage,
  type UsageCounts,
} from "../../core/usage.ts";
import type { AuditPage } from "../account-store.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { hasServer } from "./key-rows.ts";

const selected = `select id, name, sealed_secret as "sealedSecret", created_at as "createdAt" from device`;

/** Statements about devices. Their guarantees are those of `AccountStore`. */
export class DeviceRows {
  *addDevice({ id, name, sealedSecret, createdAt }: StoredDevice): Query<void> {
    const added = yield* rowsOf(
      `insert into device (id, name, sealed_secret, created_at) values ($1, $2, $3, $4)
       on conflict do nothing returning id`,
      [id, name, sealedSecret, createdAt],
    );
    if (added.length === 0) throw new Problem("conflict");
  }

  *listDevices(): Query<readonly StoredDevice[]> {
    return yield* rowsOf<StoredDevice>(`${selected} order by created_at, id`);
  }

  *getDevice(id: string): Query<StoredDevice | undefined> {
    const [row] = yield* rowsOf<StoredDevice>(`${selected} where id = $1`, [id]);
    return row;
  }

  *removeDevice(id: string): Query<boolean> {
    return (yield* rowsOf("delete from device where id = $1 returning id", [id])).length > 0;
  }
}

/** Usage of a server on a day, as one of a team; without a server where only the team is kept. */
export interface UsageEntry extends TeamDayUsage {
  readonly server: ServerId | null;
}

interface UsageRow extends UsageCounts {
  readonly server: string | number;
  readonly day: number;
  readonly team: string;
}

const sums = usageCountNames.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(", ");

/** Statements about usage. Their guarantees are those of `AccountStore`. */
export class UsageRows extends DialectRows {
  readonly #server = this.dialect.serverColumn;
  readonly #add: string = `insert into usage (${this.#server}, day, team, email, sms, bytes, outbound)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict (${this.#server}, day, team) do update set
      ${usageCountNames.map((name) => `${name} = usage.${name} + excluded.${name}`).join(", ")}`;

  *listUsage(sinceDay: number): Query<readonly DayUsage[]> {
    return yield* rowsOf<DayUsage>(
      `/* all servers */ select day, cast(sum(email) as bigint) as email, cast(sum(sms) as bigint) as sms
       from usage where day >= $1 group by day having sum(email) + sum(sms) > 0 order by day`,
      [sinceDay],
    );
  }

  *listTeamUsage(sinceDay: number): Query<readonly TeamDayUsage[]> {
    const rows = yield* rowsOf<UsageRow>(
      `/* all servers */ select day, team, ${sums} from usage where day >= $1 group by day, team order by day, team`,
      [sinceDay],
    );
    return rows.map(({ team, ...row }) => ({ ...row, team: team || null }));
  }

  *listServerUsage(sinceDay: number, endDay: number): Query<readonly ServerUsageCounts[]> {
    const rows = yield* rowsOf<Omit<UsageRow, "day">>(
      `/* all servers */ select ${this.#server} as server, team, ${sums} from usage where day >= $1 and day < $2
       group by ${this.#server}, team order by team, ${this.#server}`,
      [sinceDay, endDay],
    );
    return rows.map(({ server, team, ...row }) => ({
      ...row,
      team: team || null,
      server: this.dialect.fromServer(server),
    }));
  }

  *raiseUsage(usage: readonly TeamDayUsage[]): Query<void> {
    if (usage.length === 0) return;
    // The lock serialises callers, so that nothing is added twice.
    yield* rowsOf(`select 1 from state ${this.dialect.forUpdate}`);
    const stored = yield* this.listTeamUsage(Math.min(...usage.map(({ day }) => day)));
    const missing = [...Map.groupBy(usage, ({ day }) => day)].flatMap(([day, given]) =>
      risesOf(
        given,
        stored.filter((row) => row.day === day),
      ),
    );
    yield* this.addUsage(missing);
  }

  /** Adds to the counts of servers; entries without any are left out. */
  *addUsage(entries: readonly UsageEntry[]): Query<void> {
    for (const entry of entries) {
      const counts = usageCountNames.map((name) => entry[name]);
      if (counts.every((count) => count === 0)) continue;
      const server = entry.server === null ? this.dialect.noServer : this.dialect.toServer(entry.server);
      yield* rowsOf(this.#add, [server, entry.day, entry.team ?? "", ...counts]);
    }
  }

  *compactUsage(oldestDay: number, beforeDay: number): Query<boolean> {
    yield* rowsOf("/* all servers */ delete from usage where day < $1", [oldestDay]);
    const [next] = yield* rowsOf<{ readonly day: number }>(
      `/* all servers */ select day from usage where day < $1 and ${this.#server} <> $2 order by day limit 1`,
      [beforeDay, this.dialect.noServer],
    );
    if (next === undefined) return false;
    const rows = yield* rowsOf<UsageRow>(
      `/* all servers */ delete from usage where day = $1 and ${this.#server} <> $2
       returning team, ${usageCountNames.join(", ")}`,
      [next.day, this.dialect.noServer],
    );
    const byTeam = new Map<string, UsageCounts>();
    for (const { team, ...counts } of rows) byTeam.set(team, addUsage(byTeam.get(team) ?? noUsage, counts));
    yield* this.addUsage([...byTeam].map(([team, counts]) => ({ server: null, day: next.day, team, ...counts })));
    return true;
  }
}

/** Returns what is missing to the counts of a day; in total, the larger of both sums. */
function risesOf(given: readonly TeamDayUsage[], stored: readonly TeamDayUsage[]): readonly UsageEntry[] {
  const rises = given.map((row): UsageEntry => ({ ...row, ...noUsage, server: null }));
  for (const name of usageCountNames) {
    const sum = (rows: readonly TeamDayUsage[]): number => rows.reduce((total, row) => total + row[name], 0);
    let left = Math.max(0, sum(given) - sum(stored));
    for (const [at, row] of given.entries()) {
      const rise = Math.min(left, Math.max(0, row[name] - sum(stored.filter(({ team }) => team === row.team))));
      left -= rise;
      rises[at] = { ...(rises[at] ?? { ...row, server: null }), [name]: rise };
    }
  }
  return rises;
}

/** Statements about zone files of servers. Their guarantees are those of `AccountStore`. */
export class ZoneRows extends DialectRows {
  *putZone(server: ServerId, zone: string): Query<boolean> {
    if (!(yield* hasServer(this.dialect, server))) return false;
    yield* rowsOf(
      "insert into dns_zone (server, zone) values ($1, $2) on conflict (server) do update set zone = excluded.zone",
      [server, zone],
    );
    return true;
  }

  *getZone(server: ServerId): Query<string | undefined> {
    const sql = "select zone from dns_zone where server = $1";
    return (yield* rowsOf<{ readonly zone: string }>(sql, [server]))[0]?.zone;
  }

  *removeZone(server: ServerId): Query<boolean> {
    return (yield* rowsOf("delete from dns_zone where server = $1 returning 1 as one", [server])).length > 0;
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
