/** Records of the account and queues on the threads of the store. */
import type { DatabaseSync } from "node:sqlite";
import { decodeMessageId, idToBytes } from "../../../core/ids.ts";
import type { ServerQuota } from "../../../core/server.ts";
import type { AnnotationStore, MarkStore } from "../../mark-store.ts";
import type { CallbackStore } from "../../callback-store.ts";
import type { KeyStore } from "../../key-store.ts";
import type { PeopleStore } from "../../people-store.ts";
import type { ProviderObjectScope, ProviderObjectStore } from "../../provider-object-store.ts";
import type { ContentRows } from "../../records/content-rows.ts";
import type { RecordStores } from "../../records/record-stores.ts";
import { createRecordCalls, createRecordRows, type RecordCalls, type RecordRows } from "../../records/records.ts";
import { lockServer, type JournalRows } from "../../records/server-position.ts";
import type { CacheRows } from "../../records/versions.ts";
import { queryOf, withAfterCalls } from "../../sql/calls.ts";
import { computed, type Query } from "../../sql/query.ts";
import { queryRunner } from "../connection/dialect.ts";
import { damagedMessage, isDamage } from "../../content/layout.ts";
import { contentTables } from "../content/content-tables.ts";
import type { Journal } from "../messages/changes.ts";
import type { ResultCache } from "../messages/result-cache.ts";
import { tagIndex } from "../messages/key-roles.ts";
import { queueDialect } from "../queues/due-work.ts";
import { copiedBytes, type Thread } from "../../threads/thread.ts";
import { serverParts } from "./servers.ts";

/** Calls of the writer thread about records. */
export interface RecordWriterCalls {
  /** Executes a method of {@link RecordRows}. */
  changeRecord(kind: keyof RecordRows, method: string, parameters: readonly unknown[]): unknown;
}

/** Calls of the reader thread about records. */
export interface RecordReaderCalls {
  /** Executes a method of {@link RecordRows}. */
  readRecord(kind: keyof RecordRows, method: string, parameters: readonly unknown[]): unknown;
}

/** Creates the statements, for use inside the writer's transaction. `quota` is that of servers without their own. */
export function recordRowsOf(journal: Pick<Journal, "append" | "notice">, quota?: ServerQuota): RecordRows {
  const ofWriter: JournalRows = {
    append: (server, kind, message) =>
      computed(() => journal.append(server, kind, message === null ? null : idToBytes(message))),
    *release(server, cursor) {
      const position = yield* lockServer(queueDialect, server);
      if (position !== undefined) journal.notice(position.number, { before: cursor, after: position.sequence });
    },
  };
  return createRecordRows(
    queueDialect,
    { servers: serverParts, journal: ofWriter, tagIndex, content: contentTables },
    quota,
  );
}

const rejectChange = (): never => {
  throw new Error("records are only read here");
};

/** Queries of records. */
export class RecordReads {
  readonly rows: RecordRows = recordRowsOf({ append: rejectChange, notice: rejectChange });
  readonly run: <Result>(query: Query<Result>) => Result;

  constructor(database: DatabaseSync) {
    this.run = queryRunner(database);
  }

  read(kind: keyof RecordRows, method: string, parameters: readonly unknown[]): unknown {
    return this.run(queryOf(this.rows[kind], method, parameters));
  }
}

/** Creates calls of records that only read. */
export function readRecords(records: RecordReads, read: (body: () => unknown) => Promise<unknown>): RecordCalls {
  return createRecordCalls(records.rows, {
    read: async (kind, method, parameters) => await read(() => records.read(kind, method, parameters)),
    change: async () => Promise.try(rejectChange),
  });
}

type ReadRecords = <Result>(body: (reads: { readonly records: RecordReads }) => Result) => Result;

/** Reads on the calling thread; see `LocalReads`. */
interface LocalRecords {
  readonly isOpen: boolean;
  readonly requireOpen: () => void;
  readonly read: ReadRecords;
  readonly readAccount: ReadRecords;
  readonly reported: (error: unknown) => unknown;
}

/** Dependencies of {@link openRecords}. */
export interface RecordDependencies {
  readonly writer: Thread<RecordWriterCalls>;
  readonly reader: Thread<RecordReaderCalls>;
  readonly local: LocalRecords;
}

/** Records with which callers sign in, also to read why the store rejects other calls. */
const ofSignIn: ReadonlySet<keyof RecordRows> = new Set(["keys", "people", "signIns"] as const);

/** Methods whose duration depends on the size of a server or of a message. */
const longReads: ReadonlySet<string> = new Set<keyof MarkStore | keyof CallbackStore | keyof ContentRows>([
  "readContent",
  "readChunk",
  "readWhole",
  "listDeliveries",
  "listHidden",
  "listTags",
  "countUnseen",
  "listIdentities",
]);

/** Creates calls of the records on the threads of the store. */
export function openRecords({ writer, reader, local }: RecordDependencies): RecordCalls {
  const { rows } = local.readAccount(({ records }) => records);
  const isLong = (kind: keyof RecordRows, method: string): boolean => {
    if (kind !== "deliveryQueue") return longReads.has(method);
    // Visits of all receivers take 80 ms for 10,000; checks of an empty queue do not start the reader thread, which takes 10 MB.
    return !local.read(({ records }) => records.run(rows.deliveryQueue.isEmpty()));
  };
  return createRecordCalls(rows, {
    read: async (kind, method, parameters) => {
      if (isLong(kind, method)) return await reader.call("readRecord", [kind, method, parameters]);
      const read = ({ records }: { readonly records: RecordReads }): unknown => records.read(kind, method, parameters);
      return ofSignIn.has(kind) ? local.readAccount(read) : local.read(read);
    },
    change: async (kind, method, parameters) => {
      const buffers: ArrayBuffer[] = [];
      // Outcomes of work have no bytes.
      const copied = method === "record" ? parameters : copiedBytes(parameters, buffers);
      return await writer.call("changeRecord", [kind, method, copied], buffers);
    },
  });
}

/** Lets stores of records cache what is read often, and forget what changes. */
export function cachedRecords<Stores extends Omit<RecordStores, "onServerRemoved">>(
  stores: Stores,
  { local, cache }: { readonly local: LocalRecords; readonly cache: ResultCache },
): Stores {
  return {
    ...cachedKeys(stores, local, cache),
    people: forgettingOwned(stores.people, cache),
    annotations: countedAnnotations(stores.annotations, local, cache),
    marks: withAfterCalls(stores.marks, { changeMarks: (server) => cache.forgetServer(server) }),
    providerObjects: withoutEmptyScopes(stores.providerObjects, local),
  };
}

/** Reports damaged annotations, and forgets servers whose bytes have changed. */
function countedAnnotations(
  annotations: AnnotationStore,
  local: Pick<LocalRecords, "reported">,
  cache: ResultCache,
): AnnotationStore {
  return {
    ...withAfterCalls(annotations, { putAnnotation: (message) => cache.forgetRecord(decodeMessageId(message).server) }),
    getAnnotation: async (message, kind) => {
      try {
        return await annotations.getAnnotation(message, kind);
      } catch (error) {
        if (!isDamage(error)) throw error;
        throw local.reported(damagedMessage(message, `its ${kind} does not decompress`));
      }
    },
  };
}

/** Returns a function that keeps rows in memory; they are read at once, and after each change. */
export function cacheRowsOf(local: Pick<LocalRecords, "read">): CacheRows {
  return ({ listChangedSince, apply }) => {
    let last = 0;
    const readNow = (): void => {
      for (const row of local.read(({ records }) => records.run(listChangedSince(last)))) {
        last = row.version;
        apply(row);
      }
    };
    const read = async (): Promise<void> => await Promise.try(readNow);
    readNow();
    return { refresh: () => null, read, readEverywhere: read };
  };
}

/** Caches the keys that were found, because every request looks one up. */
function cachedKeys<Stores extends KeyStore>(stores: Stores, local: LocalRecords, cache: ResultCache): Stores {
  const clear = (): void => cache.clearKeys();
  return {
    ...stores,
    ...withAfterCalls<KeyStore>(stores, { addKey: clear, removeKey: clear, rotateKey: clear }),
    findKey: async (hash: string) => {
      const cached = local.isOpen ? cache.getKey(hash) : undefined;
      if (cached !== undefined) return cached;
      const key = await stores.findKey(hash);
      if (key !== undefined) cache.setKey(hash, key);
      return key;
    },
  };
}

/** Forgets the keys that are removed with their owner, and the servers of a team that is removed. */
function forgettingOwned(people: PeopleStore, cache: ResultCache): PeopleStore {
  return {
    ...withAfterCalls(people, { removeUser: () => cache.clearKeys() }),
    removeTeam: async (id) => {
      const servers = (await people.findTeamServers(id)) ?? [];
      try {
        return await people.removeTeam(id);
      } finally {
        cache.clearKeys();
        for (const server of servers) cache.forgetServer(server.id);
      }
    },
  };
}

/** Scopes that are known to have no objects; more are forgotten. */
const emptyScopeCountMax = 10_000;

/**
 * Caches scopes without objects. Some providers look for objects with every mail, and most callers have none; only a put can
 * fill a scope.
 */
function withoutEmptyScopes(objects: ProviderObjectStore, local: LocalRecords): ProviderObjectStore {
  const emptyScopes = new Set<string>();
  return {
    // Not before: a list that was read meanwhile may still have been empty.
    ...withAfterCalls(objects, { putObject: (change) => void emptyScopes.delete(scopeKey(change)) }),
    listObjects: async (scope, page) => {
      local.requireOpen();
      const name = scopeKey(scope);
      if (emptyScopes.has(name)) return [];
      const found = await objects.listObjects(scope, page);
      if (found.length === 0 && page.offset === 0) {
        if (emptyScopes.size >= emptyScopeCountMax) emptyScopes.clear();
        emptyScopes.add(name);
      }
      return found;
    },
  };
}

function scopeKey({ server, provider, kind }: ProviderObjectScope): string {
  return `${server ?? ""} ${provider} ${kind}`;
}
