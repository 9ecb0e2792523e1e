import type { DatabaseSync, StatementSync } from "node:sqlite";
import { dayOf, type DayUsage } from "../../../core/usage.ts";

/** Queries of the daily usage. */
export class UsageReads {
  readonly #since: StatementSync;

  constructor(database: DatabaseSync) {
    this.#since = database.prepare("select day, email, sms from usage where day >= ? order by day");
  }

  since(day: number): readonly DayUsage[] {
    return this.#since.all(day).map((row) => ({ ...(row as unknown as DayUsage) }));
  }
}

/** Counts of stored messages, one row per day; for use inside the writer's transaction. */
export class UsageWrites {
  readonly #count: StatementSync;
  readonly #raise: StatementSync;

  constructor(database: DatabaseSync) {
    this.#count = database.prepare(
      `insert into usage (day, email, sms) values (?1, ?2, ?3)
       on conflict (day) do update set email = email + ?2, sms = sms + ?3`,
    );
    this.#raise = database.prepare(
      `insert into usage (day, email, sms) values (?1, ?2, ?3)
       on conflict (day) do update set email = max(email, ?2), sms = max(sms, ?3)`,
    );
  }

  /** Implements `raiseUsage` of the store's contract. */
  raise(usage: readonly DayUsage[]): void {
    for (const { day, email, sms } of usage) this.#raise.run(day, email, sms);
  }

  /** Counts one message on the day of `receivedAt`. A message without raw bytes is an SMS. */
  count(receivedAt: number, rawBytes: number): void {
    this.#count.run(dayOf(receivedAt), rawBytes > 0 ? 1 : 0, rawBytes > 0 ? 0 : 1);
  }
}
