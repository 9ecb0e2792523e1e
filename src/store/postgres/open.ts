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

/** Setting of the index of bodies: `auto`: when the database supports it; `off`: never. */
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
  /** Indexes bodies of large servers where the database supports it; off by default. */
  readonly searchIndex?: SearchIndexChoice;
  /** Called with the reason when bodies should but cannot be indexed. */
  readonly onNoTextIndex?: (why: string) => void;
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

/** Result of {@link prepareDatabase}. */
export interface Prepared {
  /** Number of migrations that were applied. */
  readonly stepCount: number;
  /** Null when no index was requested. */
  readonly textIndex: TextIndexSetup | null;
}

/**
 * Migrates a database to the schema of this version, and sets up the index of bodies if requested. Rejects as {@link
 * openPostgresStore}, but not when the index is not possible.
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

/**
 * Migrates a database to the schema of this version; returns the number of applied migrations. Rejects as {@link
 * openPostgresStore}.
 */
export async function migrateDatabase({ url, clock = systemClock }: PostgresStoreOptions): Promise<number> {
  return (await prepareDatabase({ url, clock })).stepCount;
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
