import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { defineSearchFunctions } from "../search/expression-dialect.ts";
import type { FileIdentity } from "./store-directory.ts";
import type { ServerQuota } from "../../../core/server.ts";

/** Page caches of connections. */
const writerCacheKiB = 4 * 1024;
const readerCacheKiB = 4 * 1024;
/** Pages of the write-ahead log after which the writer copies them into the database: 8 MB. */
const checkpointPageCount = 2000;
/** Size to which the write-ahead log is truncated, and above which maintenance waits for readers to restart it. */
export const walBytesMax: number = 32 * 1024 * 1024;
/** Time that a connection waits for a lock that another connection holds. */
export const busyTimeoutMs = 5000;

/** Settings of the writer thread and its connection. */
export interface WriterSettings {
  readonly file: string;
  /** True when commits survive a power failure. */
  readonly durable: boolean;
  /** Largest size of the database; null when only the disk limits it. */
  readonly sizeBytesMax: number | null;
  /** Quota of servers without their own; unlimited by default. */
  readonly quota?: ServerQuota;
  /** File that the name led to when the store was opened; by default the one that it leads to now. */
  readonly identity?: FileIdentity;
  /** Memory for filters of the messages that were stored last, which the reader thread uses; see `recent-grams.ts`. */
  readonly recentGrams?: SharedArrayBuffer;
}

/** Opens the only read-write connection; the file must exist, and may be empty. */
export function connectWriter(settings: WriterSettings): DatabaseSync {
  const database = new DatabaseSync(settings.file, { timeout: busyTimeoutMs });
  try {
    // Takes effect only while the file is empty, and must precede the journal mode.
    database.exec("pragma auto_vacuum = incremental");
    // The first setting, because the change of the journal mode already writes and syncs.
    database.exec(`
      pragma synchronous = ${settings.durable ? "full" : "off"};
      pragma journal_mode = wal;
      pragma cache_size = -${writerCacheKiB};
      pragma wal_autocheckpoint = ${checkpointPageCount};
      pragma journal_size_limit = ${walBytesMax};
      pragma temp_store = memory;
    `);
    if (settings.sizeBytesMax !== null) {
      const pageBytes = readNumber(database, "pragma page_size");
      database.exec(`pragma max_page_count = ${Math.max(1, Math.floor(settings.sizeBytesMax / pageBytes))}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a read-only connection. */
export function connectReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
  database.exec(`pragma cache_size = -${readerCacheKiB}; pragma temp_store = memory;`);
  defineSearchFunctions(database);
  return database;
}

/** Returns the first column of the first row as a number. */
export function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/** Statements of unlimited variety that are cached. */
const recentCountMax = 64;

/** Cache of prepared statements, for SQL that is assembled from parts. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  /** Least recently used first. */
  readonly #recent = new Map<string, StatementSync>();
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Returns the prepared statement, which ignores named parameters that it does not have. */
  get(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql);
    if (prepared !== undefined) return prepared;
    const statement = this.#database.prepare(sql, { allowUnknownNamedParameters: true });
    this.#prepared.set(sql, statement);
    return statement;
  }

  /** Executes a statement; returns the number of the changed rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.get(sql).run(...values).changes);
  }

  /** Returns the prepared statement for SQL of unlimited variety, of which only the last are cached. */
  recent(sql: string): StatementSync {
    const statement = this.#recent.get(sql) ?? this.#database.prepare(sql, { allowUnknownNamedParameters: true });
    this.#recent.delete(sql);
    this.#recent.set(sql, statement);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= recentCountMax) break;
      this.#recent.delete(oldest);
    }
    return statement;
  }
}

/** Runs reads on one snapshot, so that they are consistent. */
export class Snapshot {
  readonly #begin;
  readonly #commit;
  constructor(database: DatabaseSync) {
    this.#begin = database.prepare("begin");
    this.#commit = database.prepare("commit");
  }

  read<Result>(body: () => Result): Result {
    this.#begin.run();
    try {
      return body();
    } finally {
      this.#commit.run();
    }
  }
}
