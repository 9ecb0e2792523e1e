import type { DayUsage } from "../../core/usage.ts";
import type { Database } from "./database.ts";

/** What was stored by day; written with the messages. */
export class Usage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async since(day: number): Promise<readonly DayUsage[]> {
    return await this.#database.query<DayUsage>(
      `/* all servers */ select day, sum(email)::bigint as email, sum(sms)::bigint as sms
       from usage where day >= $1 group by day order by day`,
      [day],
    );
  }
}
