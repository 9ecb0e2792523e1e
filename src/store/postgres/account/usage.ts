import type { DayUsage } from "../../../core/usage.ts";
import type { Database } from "../connection/database.ts";

const sumsSince = `/* all servers */ select day, sum(email)::bigint as email, sum(sms)::bigint as sms
  from usage where day >= $1`;

/** Server number of counts that were imported. */
const noServer = 0;

/** Number of messages stored by day; written in the transaction of the messages. */
export class Usage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Implements `raiseUsage` of the contract. The difference to the counts of the servers is stored under {@link noServer}. */
  async raise(usage: readonly DayUsage[]): Promise<void> {
    if (usage.length === 0) return;
    await this.#database.transact(async (session) => {
      // The lock serialises callers, so that nothing is added twice.
      await session.query("select 1 from state for update");
      const sums = await session.query<DayUsage>(`${sumsSince} group by day`, [
        Math.min(...usage.map(({ day }) => day)),
      ]);
      const there = new Map(sums.map((sum) => [sum.day, sum]));
      const missing = usage.map(({ day, email, sms }) => {
        const { email: emailBefore, sms: smsBefore } = there.get(day) ?? { email: 0, sms: 0 };
        return { day, email: Math.max(0, email - emailBefore), sms: Math.max(0, sms - smsBefore) };
      });
      for (const { day, email, sms } of missing.filter((one) => one.email + one.sms > 0)) {
        await session.query(
          `insert into usage (server_id, day, email, sms) values ($1, $2, $3, $4) on conflict (server_id, day)
           do update set email = usage.email + excluded.email, sms = usage.sms + excluded.sms`,
          [noServer, day, email, sms],
        );
      }
    });
  }

  async since(day: number): Promise<readonly DayUsage[]> {
    return await this.#database.query<DayUsage>(`${sumsSince} group by day order by day`, [day]);
  }
}
