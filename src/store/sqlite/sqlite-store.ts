import { decodeMessageId } from "../../core/ids.ts";
import { countStore, type StoreCounts } from "../records/server-rows.ts";
import { createRecordStores } from "../records/record-stores.ts";
import type { Store, StoreStatistics } from "../store.ts";
import { cachedRecords, cacheRowsOf, openRecords } from "./account/record-stores.ts";
import { createServerStore } from "./account/servers.ts";
import { createContentStore } from "../content/content-store.ts";
import { passingCalls } from "../sql/calls.ts";
import { contentChecks } from "./content/content-tables.ts";
import { ResultCache } from "./messages/result-cache.ts";
import { encodeBatch } from "./messages/message-batch.ts";
import { createMessageStore } from "./messages/message-store.ts";
import { LocalReads } from "./threads/local-reads.ts";
import type { StoreParts } from "./threads/store-state.ts";
import { stat } from "node:fs/promises";

/**
 * Creates the store of one machine: SQLite, a thread that writes, short reads on the calling thread, long ones on a thread
 * of their own. A thread that exits is replaced at the next call; calls that it was executing reject with `unavailable`.
 */
export function createSqliteStore(parts: StoreParts): Store {
  const { writer, reader, indexing } = parts;
  const local = new LocalReads(parts);
  const cache = new ResultCache();
  const dependencies = { writer, reader, indexing, local, cache };
  const calls = openRecords(dependencies);
  const content = createContentStore({ calls, outside: null, checks: contentChecks });
  const { onServerRemoved, ...records } = createRecordStores(calls, {
    rows: local.read(({ records: { rows } }) => rows),
    cacheRows: cacheRowsOf(local),
    replaceMessage: async (message) => {
      const batch = encodeBatch([message]);
      try {
        return await writer.call("replaceMessage", [batch], [batch.bytes]);
      } finally {
        indexing.messagesStored(1);
        cache.forgetServer(decodeMessageId(message.id).server);
      }
    },
  });
  let closed: Promise<void> | undefined;
  return {
    ...cachedRecords(records, dependencies),
    ...createServerStore(records, { ...dependencies, onDeleted: onServerRemoved }),
    ...createMessageStore(dependencies),
    ...passingCalls(content, (call) => local.observed(call)),
    check: async () => {
      await writer.call("probe", []);
      readCounts(local);
    },
    statistics: async () => readStatistics(parts, local),
    close: async () => {
      closed ??= close(parts, local);
      await closed;
    },
  };
}

async function readStatistics({ file, reader, state }: StoreParts, local: LocalReads): Promise<StoreStatistics> {
  const counts = readCounts(local);
  const sizeBytes = await databaseBytes(file);
  // An empty store does not need the reader thread, which takes 10 MB.
  const indexBacklogCount = counts.messageCount === 0 ? 0 : await reader.call("indexBacklog", []);
  return { ...counts, indexBacklogCount, sizeBytes, storageFull: state.isStorageFull ? 1 : 0 };
}

function readCounts(local: LocalReads): StoreCounts {
  return local.read(({ records }) => records.run(countStore()));
}

async function close({ writer, reader, indexing, release }: StoreParts, local: LocalReads): Promise<void> {
  local.stop();
  await Promise.all([reader.close(), indexing.close()]);
  local.close();
  // The last connection to close leaves one complete file without a write-ahead log.
  await writer.close();
  release();
}

/** Returns the size of a database on disk, including its write-ahead log and shared memory; 0 for missing files. */
async function databaseBytes(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`, `${file}-shm`].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
