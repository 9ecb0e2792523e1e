/** Records of the account on the threads of the store. */
import type { DatabaseSync } from "node:sqlite";
import { decodeMessageId, idToBytes } from "../../../core/ids.ts";
import type { ProviderObjectScope, ProviderObjectStore } from "../../provider-object-store.ts";
import { queryOf } from "../../sql/calls.ts";
import { computed, type Query } from "../../sql/query.ts";
import { createRecordRows, createRecordStores, type RecordRows, type RecordStores } from "../../records/records.ts";
import type { CacheRows } from "../../records/versions.ts";
import type { AnnotationStore } from "../../annotation-store.ts";
import type { MarkStore } from "../../mark-store.ts";
import { damagedMessage, isDamage } from "../content/checksums.ts";
import type { KeyStore } from "../../key-store.ts";
import type { Journal } from "../messages/changes.ts";
import { serverParts } from "./servers.ts";
import { tagIndex } from "../messages/tag-index.ts";
import type { ResultCache } from "../messages/result-cache.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import { copiedBytes, type Thread } from "../threads/thread.ts";
import { lockServer } from "../../records/server-position.ts";
import type { CallbackStore } from "../../callback-store.ts";

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

/** Creates the statements, for use inside the writer's transaction. */
export function recordRowsOf(journal: Pick<Journal, "append" | "noticeCursor">): RecordRows {
  return createRecordRows(sqliteDialect, {
    servers: serverParts,
    journal: {
      append: (server, kind, message) =>
        computed(() => journal.append(server, kind, message === null ? null : idToBytes(message))),
      *release(server, cursor) {
        const position = yield* lockServer(sqliteDialect, server);
        if (position !== undefined) journal.noticeCursor(position.number, { cursor, sequence: position.sequence });
      },
    },
    tagIndex,
  });
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindRecordCalls(database: DatabaseSync, journal: Journal): RecordWriterCalls {
  const run = queryRunner(database);
  const rows = recordRowsOf(journal);
  return { changeRecord: (kind, method, parameters) => run(queryOf(rows[kind], method, parameters)) };
}

const rejectChange = (): never => {
  throw new Error("records are only read here");
};

/** Queries of records. */
export class RecordReads {
  readonly rows: RecordRows = recordRowsOf({ append: rejectChange, noticeCursor: rejectChange });
  readonly run: <Result>(query: Query<Result>) => Result;

  constructor(database: DatabaseSync) {
    this.run = queryRunner(database);
  }

  read(kind: keyof RecordRows, method: string, parameters: readonly unknown[]): unknown {
    return this.run(queryOf(this.rows[kind], method, parameters));
  }
}

/** Creates stores of records that only read. */
export function readRecords(read: (body: (records: RecordReads) => unknown) => Promise<unknown>): RecordStores {
  return createRecordStores({
    read: async (kind, method, parameters) => await read((records) => records.read(kind, method, parameters)),
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
  readonly cache: ResultCache;
}

/** Records with which callers sign in, also to read why the store rejects other calls. */
const ofSignIn: ReadonlySet<keyof RecordRows> = new Set(["keys", "signIns"] as const);

/** Methods whose duration depends on the size of a server. */
const longReads: ReadonlySet<string> = new Set<keyof MarkStore | keyof CallbackStore>([
  "listDeliveries",
  "listHidden",
  "listTags",
  "countUnseen",
  "listIdentities",
]);

/** Creates the stores of records. */
export function openRecords({ writer, reader, local, cache }: RecordDependencies): RecordStores {
  const stores = createRecordStores({
    read: async (kind, method, parameters) => {
      if (longReads.has(method)) return await reader.call("readRecord", [kind, method, parameters]);
      const read = ({ records }: { readonly records: RecordReads }): unknown => records.read(kind, method, parameters);
      return ofSignIn.has(kind) ? local.readAccount(read) : local.read(read);
    },
    change: async (kind, method, parameters) => {
      const buffers: ArrayBuffer[] = [];
      return await writer.call("changeRecord", [kind, method, copiedBytes(parameters, buffers)], buffers);
    },
  });
  return {
    ...stores,
    annotations: countedAnnotations(stores.annotations, local, cache),
    marks: {
      ...stores.marks,
      changeMarks: async (server, ids, change) => {
        try {
          return await stores.marks.changeMarks(server, ids, change);
        } finally {
          cache.forgetServer(server);
        }
      },
    },
    keys: cachedKeys(stores.keys, local, cache),
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
    putAnnotation: async (message, annotation) => {
      try {
        return await annotations.putAnnotation(message, annotation);
      } finally {
        cache.forgetRecord(decodeMessageId(message).server);
      }
    },
    getAnnotation: async (message, kind) => {
      try {
        return await annotations.getAnnotation(message, kind);
      } catch (error) {
        if (!isDamage(error)) throw error;
        throw local.reported(damagedMessage(idToBytes(message), `its ${kind} does not decompress`));
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
function cachedKeys(keys: KeyStore, local: LocalRecords, cache: ResultCache): KeyStore {
  const change = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } finally {
      cache.clearKeys();
    }
  };
  return {
    ...keys,
    addKey: async (key) => change(keys.addKey(key)),
    findKey: async (hash) => {
      const cached = local.isOpen ? cache.getKey(hash) : undefined;
      if (cached !== undefined) return cached;
      const key = await keys.findKey(hash);
      if (key !== undefined) cache.setKey(hash, key);
      return key;
    },
    removeKey: async (id) => change(keys.removeKey(id)),
    rotateKey: async (id, hash, formerUntil) => change(keys.rotateKey(id, hash, formerUntil)),
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
    ...objects,
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
    putObject: async (change) => {
      try {
        return await objects.putObject(change);
      } finally {
        // Not before: a list that was read meanwhile may still have been empty.
        emptyScopes.delete(scopeKey(change));
      }
    },
  };
}

function scopeKey({ server, provider, kind }: ProviderObjectScope): string {
  return `${server ?? ""} ${provider} ${kind}`;
}
