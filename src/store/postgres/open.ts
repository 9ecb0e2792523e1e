import { unobservedTasks, type BackgroundTasks } from "../../core/background-tasks.ts";
import { systemClock } from "../../core/clock.ts";
import type { Clock } from "../../core/clock.ts";
import { noQuota, type ServerQuota } from "../../core/server-quota.ts";
import type { NodeStore } from "../node-store.ts";
import type { Store } from "../store.ts";
import type { LargeContent } from "./content/blobs.ts";
import { Changes } from "./messages/changes.ts";
import { distribute, isDistributed } from "./schema/citus.ts";
import { openDatabase } from "./connection/database.ts";
import type { Database, DatabaseOptions } from "./connection/database.ts";
import { openNotifications } from "./nodes/notifications.ts";
import { PostgresNodes } from "./nodes/nodes.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { migrate } from "./schema/schema.ts";
import { setUpTextIndex } from "./text-index/text-index-setup.ts";
import type { TextIndexSetup } from "./text-index/text-index-setup.ts";

/** `auto`: where the database can. `off`: never. */
export type SearchIndexChoice = "auto" | "off";

/** Where a store lies. */
export interface PostgresStoreOptions {
  /** As libpq reads it: `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. */
  readonly url: string;
  readonly clock?: Clock;
  /** Keeps large content; the database does unless given. */
  readonly largeContent?: LargeContent | null;
  /** Quota of servers without one of their own; none unless given. */
  readonly quota?: ServerQuota;
  /** Whether bodies of large servers are indexed, where that can be had; they are not unless asked for. */
  readonly searchIndex?: SearchIndexChoice;
  /** Hears why bodies cannot be indexed, where they should be. */
  readonly onNoTextIndex?: (why: string) => void;
  /** What may be chosen about its connections. */
  readonly connections?: Omit<DatabaseOptions, "clock">;
  /** Registry that the store's loops report to. */
  readonly tasks?: BackgroundTasks;
}

/** A step may have to rewrite a table. */
const migrationMsMax = 60 * 60_000;

/**
 * Opens the store in a database, and makes it where there is none. Rejects with a plain `Error` for the operator when a
 * newer program owns the database, with `unavailable` when it cannot be reached.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return (await openParts(options)).store;
}

/** A store with what its nodes need of it; `nodes` is to be closed first. */
export interface PostgresNode {
  readonly store: Store;
  readonly nodes: NodeStore;
}

/** What else may be chosen for a node. */
export interface PostgresNodeOptions extends PostgresStoreOptions {
  /** Where words between nodes go, if not over `url`: a pooler that changes sessions cannot pass them on. */
  readonly listenUrl?: string | null;
  /** Hears once when a pooler stands where words between nodes go. */
  readonly onPooler?: () => void;
}

/** As {@link openPostgresStore}, for one of several nodes. */
export async function openPostgresNode(options: PostgresNodeOptions): Promise<PostgresNode> {
  const { url, listenUrl = null, clock = systemClock, onPooler = () => undefined, tasks = unobservedTasks } = options;
  const { store, database } = await openParts(options);
  const notifications = openNotifications(listenUrl ?? url, { clock, random: Math.random, onPooler, tasks });
  return { store, nodes: new PostgresNodes({ database, changes: new Changes(database), notifications }) };
}

async function openParts(options: PostgresStoreOptions): Promise<{ store: Store; database: Database }> {
  const {
    url,
    clock = systemClock,
    connections = {},
    largeContent = null,
    tasks = unobservedTasks,
    quota = noQuota,
  } = options;
  const { textIndex } = await prepareDatabase(options);
  if (textIndex?.isReady === false) options.onNoTextIndex?.(textIndex.why);
  const database = openDatabase(url, { ...connections, clock });
  try {
    const parts = { database, clock, tasks, largeContent, quota, isDistributed: await isDistributed(database) };
    return {
      store: createPostgresStore({ ...parts, textIndex: textIndex?.isReady === true ? textIndex : null }),
      database,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** What was made of a database. */
export interface Prepared {
  /** Steps of the schema that were made here. */
  readonly stepCount: number;
  /** Null where nobody asked for the index of bodies. */
  readonly textIndex: TextIndexSetup | null;
}

/**
 * Brings the schema of a database to this program's, and sets up the index of bodies where it is asked for. Rejects as
 * {@link openPostgresStore}; that there can be no such index is no reason to.
 */
export async function prepareDatabase(options: PostgresStoreOptions): Promise<Prepared> {
  const { url, clock = systemClock, searchIndex = "off" } = options;
  const database = openDatabase(url, { clock, connectionCountMax: 1, statementMsMax: migrationMsMax });
  try {
    const stepCount = await migrate({ database, clock });
    return { stepCount, textIndex: searchIndex === "off" ? null : await setUpTextIndex(database) };
  } finally {
    await database.close();
  }
}

/** Brings the schema of a database to this program's; answers how many steps it made. Rejects as {@link openPostgresStore}. */
export async function migrateDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<number> {
  return (await prepareDatabase({ url, clock })).stepCount;
}

/** Divides the tables of a migrated database between the machines of Citus. Rejects as {@link distribute}. */
export async function distributeDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<void> {
  const database = openDatabase(url, { clock, connectionCountMax: 1, statementMsMax: migrationMsMax });
  try {
    await distribute(database);
  } finally {
    await database.close();
  }
}
