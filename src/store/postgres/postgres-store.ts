import { unobservedTasks, type BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { noQuota, type ServerQuota } from "../../core/server.ts";
import type { Store, StoreStatistics } from "../store.ts";
import { createAccountStore } from "./account/account-store.ts";
import { type Database, gated, OpenGate } from "./connection/database.ts";
import type { LargeContent } from "./content/blobs.ts";
import { ExternalContent } from "./content/external-content.ts";
import { Maintenance } from "./maintenance/maintenance.ts";
import { Purge } from "./maintenance/purge.ts";
import { StorageWatch } from "./maintenance/storage-watch.ts";
import { SchemaWatch } from "./schema/schema-watch.ts";
import { Changes } from "./messages/changes.ts";
import { createMessageStore } from "./messages/message-store.ts";
import type { StoreParts } from "./store-parts.ts";
import { createTextIndex, type TextIndexParts, countUnindexed } from "./text-index/text-index.ts";
import { countStore } from "../records/server-rows.ts";
import { runOn } from "./connection/dialect.ts";
import type { TextIndexSettings } from "./text-index/segments.ts";

/** Parts of a store. */
export interface PostgresStoreParts {
  /** Belongs to the store, which closes it. */
  readonly database: Database;
  readonly clock: Clock;
  /** Whether the tables are distributed over several machines (Citus). */
  readonly isDistributed: boolean;
  /** Quota of servers without one of their own; none unless given. */
  readonly quota?: ServerQuota | undefined;
  /** Keeps large content; null: the database does. */
  readonly largeContent: LargeContent | null;
  /** Registry that the store's loops report to. */
  readonly tasks?: BackgroundTasks | undefined;
  /** Settings of the text index; null, unless given, for none. */
  readonly textIndex?: TextIndexParts | null;
}

/**
 * Creates a store on a PostgreSQL database, of which any number of nodes are clients at the same time. A node caches only
 * what no other node can invalidate.
 */
export function createPostgresStore(given: PostgresStoreParts): Store {
  const parts = createParts(given);
  const { replaceMessage, ...messages } = createMessageStore(parts);
  return { ...createAccountStore(parts, replaceMessage), ...messages, ...createStoreLifecycle(parts) };
}

function createParts({ clock, isDistributed, ...given }: PostgresStoreParts): StoreParts {
  const { largeContent, textIndex: index = null, tasks = unobservedTasks, quota = noQuota } = given;
  const storage = new StorageWatch(new SchemaWatch(given.database, clock, tasks).watched(), clock, tasks);
  const database = storage.watched();
  const gate = new OpenGate();
  const changes = new Changes(database);
  const outside = largeContent === null ? null : new ExternalContent(database, largeContent);
  const textIndex = index === null ? null : createTextIndex(index, { database, clock, tasks });
  const maintenance = new Maintenance({ purge: new Purge(database), changes, outside, textIndex, clock, tasks });
  const search = { usesIndex: index !== null, sliceMessageCount: index?.sliceMessageCount };
  const own = {
    storage,
    database,
    gate,
    gatedDatabase: gated(database, gate),
    changes,
    outside,
    textIndex,
    maintenance,
  };
  return { clock, quota, isDistributed, search, ...own };
}

function createStoreLifecycle(parts: StoreParts): Pick<Store, "check" | "statistics" | "close"> {
  const { storage, database, gate, gatedDatabase, textIndex, maintenance } = parts;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await gate.close();
    await maintenance.close();
    await textIndex?.end();
    await database.close();
  };
  return {
    check: async () => {
      storage.requireSpace();
      // Waits, as a mail does, until the database has written something.
      await gatedDatabase.query("update state set probe = probe + 1");
    },
    statistics: async () => {
      const counted = await readStatistics(gatedDatabase, textIndex?.settings ?? null);
      return { ...counted, storageFull: storage.isFull ? 1 : 0 };
    },
    close: async () => {
      closed ??= close();
      await closed;
    },
  };
}

/** Reads sizes and backlogs of the store, mostly from stored sums. */
async function readStatistics(
  database: Database,
  textIndex: TextIndexSettings | null,
): Promise<Omit<StoreStatistics, "storageFull">> {
  const counts = await runOn(database, countStore());
  const indexBacklogCount = textIndex === null ? 0 : await countUnindexed(database, textIndex);
  const [size] = await database.query<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
  return { ...counts, indexBacklogCount, sizeBytes: size?.bytes ?? 0 };
}
