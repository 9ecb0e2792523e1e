import type { ServerQuota } from "../../../core/server-quota.ts";
import type { KeyStore } from "../../key-store.ts";
import type { RecordStores } from "../../records/records.ts";
import type { ScheduledMessageStore } from "../../scheduled-message-store.ts";
import type { AccountStore } from "../../account-store.ts";
import type { Database } from "../connection/database.ts";
import { Zones } from "./dns-zones.ts";
import { openRecords } from "./records.ts";
import { openScheduled } from "../queues/postgres-queues.ts";
import { heldQuota } from "../messages/held-messages.ts";
import { Usage } from "./usage.ts";

/** Parts of the store that belong to the account. */
export interface AccountParts extends KeyStore, AccountStore, Omit<RecordStores, "keys" | "devices"> {
  readonly scheduledMessages: ScheduledMessageStore;
}

/** Creates the parts of the store that belong to the account. `quota` is that of servers without one of their own. */
export function createAccountStore(database: Database, quota: ServerQuota): AccountParts {
  const { keys, devices, ...records } = openRecords(database);
  const usage = new Usage(database);
  const zones = new Zones(database);
  return {
    ...keys,
    ...devices,
    ...records,
    listUsage: async (sinceDay) => await usage.since(sinceDay),
    raiseUsage: async (days) => await usage.raise(days),
    putZone: async (server, zone) => await zones.put(server, zone),
    getZone: async (server) => await zones.get(server),
    removeZone: async (server) => await zones.remove(server),
    scheduledMessages: openScheduled(database, (held) => heldQuota(held, quota)),
  };
}
