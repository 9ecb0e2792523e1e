import { unobservedTasks, type BackgroundTasks } from "../../core/background-tasks.ts";
import { systemClock, type Clock } from "../../core/clock.ts";
import { noQuota, type ServerQuota } from "../../core/server.ts";
import type { NodeStore } from "../node-store.ts";
import type { Store } from "../store.ts";
import type { LargeContent } from "./content/blobs.ts";
import { Changes } from "./messages/changes.ts";
import { distribute, isDistributed } from "./schema/citus.ts";
import { openDatabase, type Database, type DatabaseOptions } from "./connection/database.ts";
import { openNotifications } from "./nodes/notifications.ts";
import { PostgresNodes } from "./nodes/nodes.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { migrate } from "./schema/schema.ts";
import { IndexerThread } from "./text-index/indexer-thread.ts";
import type { TextIndexParts } from "./text-index/text-index.ts";

/** Setting of the text index: `auto`: large servers are indexed; `off`: none are. */
export type SearchIndexChoice = "auto" | "off";

/** Options of {@link openPostgresStore}. */
export interface PostgresStoreOptions {
  /** URL in the syntax of libpq: `postgres://user:password@host:port,host:port/database?sslmode=verify-full`. */
  readonly url: string;
  readonly clock?: Clock;
  /** External storage of large content; the database by default. */
  readonly largeContent?: LargeContent | null;
  /** Quota of servers without one of their own; none by default. */
  readonly quota?: ServerQuota;
  /** Whether subjects and bodies of large servers are indexed; off by default. */
  readonly searchIndex?: SearchIndexChoice;
  /** Options of the connections. */
  readonly connections?: Omit<DatabaseOptions, "clock">;
  /** Registry that the store's loops report to. */
  readonly tasks?: BackgroundTasks;
}

/** Timeout of a migration, which may rewrite a table. */
const migrationMsMax = 60 * 60_000;

/**
 * Opens the store in a database and creates its tables if there are none. Rejects with a plain `Error` for the operator
 * when a newer version has migrated the database, with `unavailable` when it is unreachable.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return (await openParts(options)).store;
}

/** Store of one of several nodes; close `nodes` first. */
export interface PostgresNode {
  readonly store: Store;
  readonly nodes: NodeStore;
}

/** Options of {@link openPostgresNode}. */
export interface PostgresNodeOptions extends PostgresStoreOptions {
  /** Database URL for notifications; by default `url`. A pooler that switches sessions cannot forward them. */
  readonly listenUrl?: string | null;
  /** Called once when a pooler is between a node and its notifications. */
  readonly onPooler?: () => void;
}

/** Works as {@link openPostgresStore}, for one of several nodes. */
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
  await migrateDatabase(options);
  const database = openDatabase(url, { ...connections, clock });
  try {
    const parts = { database, clock, tasks, largeContent, quota, isDistributed: await isDistributed(database) };
    return {
      store: createPostgresStore({ ...parts, textIndex: textIndexOf(options) }),
      database,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function textIndexOf({ url, connections = {}, searchIndex = "off" }: PostgresStoreOptions): TextIndexParts | null {
  if (searchIndex === "off") return null;
  const { statementMsMax, lockMsMax } = connections;
  const limits = {
    ...(statementMsMax === undefined ? {} : { statementMsMax }),
    ...(lockMsMax === undefined ? {} : { lockMsMax }),
  };
  return { openIndexer: (settings) => new IndexerThread({ url, connections: limits, settings }) };
}

/**
 * Migrates a database to the schema of this version; returns the number of applied migrations. Rejects as {@link
 * openPostgresStore}.
 */
export async function migrateDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<number> {
  const database = openDatabase(url, { clock, connectionCountMax: 1, statementMsMax: migrationMsMax });
  try {
    return await migrate({ database, clock });
  } finally {
    await database.close();
  }
}

/** Distributes the tables of a migrated database over the machines of Citus. Rejects as {@link distribute}. */
export async function distributeDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<void> {
  const database = openDatabase(url, { clock, connectionCountMax: 1, statementMsMax: migrationMsMax });
  try {
    await distribute(database);
  } finally {
    await database.close();
  }
}
