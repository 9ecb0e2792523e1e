import { account, faults, people, providerObjects } from "./account.ts";
import type { Tables } from "./schema-dialect.ts";
import { marks, servers } from "./servers.ts";
import { callbackDeliveries, callbackTargets, outbound, queues } from "./work.ts";

/** Returns the tables of version 1 that both databases have: all but those of the content of messages and of the text index. */
export const sharedTables: Tables = (dialect) =>
  [servers, marks, account, people, providerObjects, faults, outbound, callbackTargets, callbackDeliveries, queues]
    .map((tables) => tables(dialect))
    .join("");
