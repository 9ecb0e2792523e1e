import type { DatabaseSync } from "node:sqlite";
import { dayOf } from "../../../core/server.ts";

/**
 * Returns a function that counts one message on the day of `receivedAt`, for use inside the writer's transaction. A message
 * without raw bytes is an SMS.
 */
export function bindCountUsage(database: DatabaseSync): (receivedAt: number, rawBytes: number) => void {
  const count = database.prepare(
    `insert into usage (day, email, sms) values (?1, ?2, ?3)
     on conflict (day) do update set email = email + ?2, sms = sms + ?3`,
  );
  return (receivedAt, rawBytes) => void count.run(dayOf(receivedAt), rawBytes > 0 ? 1 : 0, rawBytes > 0 ? 0 : 1);
}
