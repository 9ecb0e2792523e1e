import type { ServerId } from "../../core/ids.ts";
import { countStore, type StoreCounts } from "../records/store-counts.ts";
import type { RecordStores } from "../records/records.ts";
import type { Store, StoreStatistics } from "../store.ts";
import { cacheRowsOf, openRecords } from "./account/record-stores.ts";
import { createServerStore } from "./account/server-store.ts";
import { createCallbackStore } from "../callbacks/create-callback-store.ts";
import { databaseBytes } from "./connection/database-bytes.ts";
import { createContentStore } from "./content/content-store.ts";
import { ResultCache } from "./messages/result-cache.ts";
import { createMessageStore } from "./messages/message-store.ts";
import { openQueue, openScheduled, type QueueThreads } from "./queues/queue-calls.ts";
import { createReparseStore } from "./messages/reparses.ts";
import { createFaultStore, createScannerStore, type RuleDependencies } from "../records/rule-stores.ts";
import { LocalReads } from "./threads/local-reads.ts";
import type { StoreParts } from "./threads/store-parts.ts";

/**
 * Creates the store of one machine: SQLite, a thread that writes, short reads on the calling thread, long ones on a thread
 * of their own. A thread that exits is replaced at the next call; calls that it was executing reject with `unavailable`.
 */
export function createSqliteStore(parts: StoreParts): Store {
  const { writer, reader, backups, indexing } = parts;
  const local = new LocalReads(parts);
  const cache = new ResultCache();
  const dependencies = { writer, reader, indexing, local, cache };
  const onReplaced = (server: ServerId): void => {
    indexing.messagesStored(1);
    cache.forgetServer(server);
  };
  const { keys, account, callbacks, outbox, faults, scanners, servers, ...records } = openRecords(dependencies);
  const rules = {
    rows: local.read(({ records: { rows } }) => rows),
    records: { faults, scanners },
    cacheRows: cacheRowsOf(local),
  };
  const { onServerRemoved, ...queues } = createQueueStores(parts, { local, callbacks, outbox, rules, onReplaced });
  let closed: Promise<void> | undefined;
  return {
    ...createServerStore(servers, { ...dependencies, onDeleted: onServerRemoved }),
    ...keys,
    ...account,
    ...records,
    ...createMessageStore(dependencies),
    ...createContentStore(reader, local),
    ...queues,
    faults: createFaultStore(rules),
    check: async () => {
      await writer.call("probe", []);
      readCounts(local);
    },
    statistics: async () => readStatistics(parts, local),
    backup: async (file) => backups.call("backup", [parts.file, file]),
    close: async () => {
      closed ??= close(parts, local);
      await closed;
    },
  };
}

/** Creates the stores of leased work. */
function createQueueStores(
  { writer, reader }: StoreParts,
  {
    local,
    callbacks,
    outbox,
    rules,
    onReplaced,
  }: {
    readonly local: LocalReads;
    readonly callbacks: RecordStores["callbacks"];
    readonly outbox: RecordStores["outbox"];
    readonly rules: RuleDependencies;
    readonly onReplaced: (server: ServerId) => void;
  },
): Pick<Store, "callbacks" | "outbox" | "scheduledMessages" | "scanners" | "reparses"> & {
  readonly onServerRemoved: () => Promise<void>;
} {
  const threads: QueueThreads = { writer, reader, read: (body) => local.read((reads) => body(reads.queues)) };
  const { onServerRemoved, ...scanners } = createScannerStore(rules, openQueue(threads, "scans"));
  return {
    outbox: { ...outbox, queue: openQueue(threads, "outbox") },
    callbacks: createCallbackStore({ records: callbacks, queue: openQueue(threads, "deliveries") }),
    scheduledMessages: openScheduled(threads),
    scanners,
    reparses: createReparseStore(writer, openQueue(threads, "reparses"), onReplaced),
    onServerRemoved,
  };
}

async function readStatistics(
  { file, reader, isStorageFull }: StoreParts,
  local: LocalReads,
): Promise<StoreStatistics> {
  const counts = readCounts(local);
  const sizeBytes = await databaseBytes(file);
  // An empty store does not need the reader thread, which takes 10 MB.
  const indexBacklogCount = counts.messageCount === 0 ? 0 : await reader.call("indexBacklog", []);
  return { ...counts, indexBacklogCount, sizeBytes, storageFull: isStorageFull() ? 1 : 0 };
}

function readCounts(local: LocalReads): StoreCounts {
  return local.read(({ records }) => records.run(countStore()));
}

async function close({ writer, reader, backups, indexing, release }: StoreParts, local: LocalReads): Promise<void> {
  local.stop();
  await Promise.all([reader.close(), backups.close(), indexing.close()]);
  local.close();
  // The last connection to close leaves one complete file without a write-ahead log.
  await writer.close();
  release();
}
