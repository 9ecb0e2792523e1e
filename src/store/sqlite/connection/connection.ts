import { DatabaseSync } from "node:sqlite";
import type { ServerQuota } from "../../../core/server-quota.ts";
import type { StatementSync } from "node:sqlite";

/** How much one connection may take. */
const writerCacheKiB = 8 * 1024;
const readerCacheKiB = 4 * 1024;
/** Pages of the write-ahead log after which the writer copies them into the database: 8 MB. */
const checkpointPageCount = 2000;
/** To which size an emptied write-ahead log is cut back, and above which the writer asks readers to let it begin anew. */
export const walBytesMax: number = 32 * 1024 * 1024;
/** How long a connection waits for another. */
export const busyTimeoutMs = 5000;

/** What decides over a read-write connection. */
export interface WriterSettings {
  readonly file: string;
  /** Whether a commit outlives a power cut. */
  readonly durable: boolean;
  /** Size that the database may not exceed; null for what the medium holds. */
  readonly sizeBytesMax: number | null;
  /** Quota of servers without one of their own; none unless given. */
  readonly quota?: ServerQuota;
}

/** The one connection that writes; the file must exist, and may be empty. */
export function connectWriter(settings: WriterSettings): DatabaseSync {
  const database = new DatabaseSync(settings.file, { timeout: busyTimeoutMs });
  try {
    // Only takes effect while the file is still empty, and must come before the journal mode.
    database.exec("pragma auto_vacuum = incremental");
    database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = ${settings.durable ? "full" : "off"};
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

/** A connection that only reads. */
export function connectReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
  database.exec(`pragma cache_size = -${readerCacheKiB}; pragma temp_store = memory;`);
  return database;
}

/** First column of the first row, as a number. */
export function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/** Prepares each statement once, for those that are put together from parts. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Named parameters that a statement does not have are passed over. */
  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql, { allowUnknownNamedParameters: true });
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Runs reads on one snapshot, so that they agree with one another. */
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
