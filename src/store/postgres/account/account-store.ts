import { noQuota, type ServerQuota } from "../../../core/server-quota.ts";
import { entryColumns } from "../../queues/outbox-rows.ts";
import type { Store } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { runOn } from "../connection/dialect.ts";
import { heldQuota } from "../messages/held-messages.ts";
import { createQuarantineStore, openQueue, openScheduled } from "../queues/postgres-queues.ts";
import { openRecords, recordRows } from "./records.ts";

/** Parts of the store that belong to the account, outbound messages, and the quarantine of all queues. */
export type AccountParts = Omit<ReturnType<typeof openRecords>, "account" | "keys" | "outbox"> &
  ReturnType<typeof openRecords>["account"] &
  ReturnType<typeof openRecords>["keys"] &
  Pick<Store, "outbox" | "scheduledMessages" | "quarantine">;

/** Creates these parts. `quota` is that of servers without one of their own. */
export function createAccountStore(database: Database, quota: ServerQuota = noQuota): AccountParts {
  const { keys, account, outbox, ...records } = openRecords(database);
  const { outbox: rows } = recordRows;
  return {
    ...keys,
    ...account,
    ...records,
    outbox: {
      ...outbox,
      queue: openQueue(database, "outbox", {
        columns: entryColumns,
        toItem: rows.toEntry.bind(rows),
        record: async (session, outcomes) => await runOn(session, rows.recordAttempts(outcomes)),
      }),
    },
    scheduledMessages: openScheduled(database, (held) => heldQuota(held, quota)),
    quarantine: createQuarantineStore(database),
  };
}
