import type { DayUsage } from "../../core/server.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Number of the server of counts that were imported. */
const noServer = 0;

/** Statements about the number of messages by day, which are counted where they are stored. */
export class UsageRows {
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

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
    yield* rowsOf(`select 1 from state ${this.#dialect.forUpdate}`);
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
    const isByServer = this.#dialect.name === "postgres";
    const [key, values] = isByServer ? ["server_id, day", "$1, $2, $3, $4"] : ["day", "$1, $2, $3"];
    yield* rowsOf(
      `insert into usage (${key}, email, sms) values (${values})
       on conflict (${key}) do update set email = usage.email + excluded.email, sms = usage.sms + excluded.sms`,
      isByServer ? [noServer, day, email, sms] : [day, email, sms],
    );
  }
}
