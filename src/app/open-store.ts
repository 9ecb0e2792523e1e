/** Opens the store that the settings name. */
import { mkdirSync } from "node:fs";
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { defaultQuota } from "../core/limits.ts";
import type { NodeStore } from "../store/node-store.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { LargeContent } from "../store/postgres/content/blobs.ts";
import type { Store } from "../store/store.ts";
import { SettingsError, type Config } from "./settings/config.ts";
import type { Log } from "./log.ts";
import { reachDatabase } from "./reach-database.ts";

/** A store, and where others may share it what they have in common; that is to be closed first. */
export interface OpenedStore {
  readonly store: Store;
  /** Null: this process is alone with its store. */
  readonly nodes: NodeStore | null;
}

/** What opening needs beside the settings. */
export interface StoreDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether what was accepted outlives a power cut; a shared store decides by itself. */
  readonly durable: boolean;
  /** Registry that the store's threads and loops report to. */
  readonly tasks: BackgroundTasks;
}

/**
 * Opens PostgreSQL where the settings name one, else SQLite in the data folder. Rejects with {@link SettingsError} when
 * several nodes could not work together with these settings, with an `Error` for the operator when the database cannot be used.
 */
export async function openStore(config: Config, dependencies: StoreDependencies): Promise<OpenedStore> {
  const { durable, tasks } = dependencies;
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  if (config.databaseUrl === null) {
    return {
      store: await openSqliteStore({ directory: config.dataDir, durable, tasks, quota: defaultQuota(config.limits) }),
      nodes: null,
    };
  }
  refuseWhatNodesLack(config);
  return openShared(config, config.databaseUrl, dependencies);
}

async function openShared(config: Config, url: string, { clock, log, tasks }: StoreDependencies): Promise<OpenedStore> {
  const { openPostgresNode } = await import("../store/postgres/open.ts");
  return await reachDatabase(async () =>
    openPostgresNode({
      url,
      listenUrl: config.databaseListenUrl,
      clock,
      tasks,
      largeContent: await largeContentOf(config),
      quota: defaultQuota(config.limits),
      searchIndex: config.searchIndex,
      onNoTextIndex: (why) => {
        log.warn({ why }, noTextIndexWarning);
      },
      connections: {
        connectionCountMax: config.databaseConnections,
        statementMsMax: config.databaseStatementMs,
        lockMsMax: config.databaseLockMs,
        onGone: (cause) => {
          log.error({ why: cause instanceof Error ? cause.message : String(cause) }, goneMessage);
        },
        onBack: (goneMs) => {
          log.info({ goneMs }, "the database can be reached again");
        },
      },
      onPooler: () => {
        log.warn({}, poolerWarning);
      },
    }),
  );
}

async function largeContentOf({ blobUrl }: Config): Promise<LargeContent | null> {
  return blobUrl === null ? null : (await import("../store/postgres/content/blobs-s3.ts")).openS3(blobUrl);
}

const goneMessage =
  "the database cannot be reached: until it can, mail is answered with 451 and requests with 503; both are to be tried again";

const poolerWarning =
  "a pooler stands between this node and its database: if it does not keep sessions, words between nodes get lost, and mail to other nodes wakes waiting searches up to a second late; give RESTANTE_DATABASE_LISTEN_URL";

const noTextIndexWarning =
  "bodies are not indexed: searches of large servers for what no body holds take seconds; unless the tables are divided, have an administrator run `create extension pg_trgm; create extension btree_gin` in the database; RESTANTE_SEARCH_INDEX=off ends this warning";

/** What a node would make up for itself, others could not know. */
function refuseWhatNodesLack({ apiKey, secretKey }: Config): void {
  const lacks = [
    ...(apiKey === null ? [["RESTANTE_API_KEY", "a key that one node makes up is shown by no other"]] : []),
    ...(secretKey === null
      ? [["RESTANTE_SECRET_KEY", "nodes open what others have sealed only with the same key"]]
      : []),
  ];
  if (lacks.length === 0) return;
  throw new SettingsError(
    lacks.map(([name, why]) => `${name} is needed with RESTANTE_DATABASE_URL, the same on every node: ${why}`),
  );
}
