import type { SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Row whose version increases with each change. */
export interface VersionedRow {
  readonly version: number;
}

/** Rows that a node keeps in memory. */
export interface RowSource<Row extends VersionedRow> {
  /** Content of the rows, for error texts: "The fault rules". */
  readonly name: string;
  /** Returns the rows whose version is higher than `version`, in the order of their versions. */
  readonly listChangedSince: (version: number) => Query<readonly Row[]>;
  /** Puts a row into memory. */
  readonly apply: (row: Row) => void;
}

/** Reader of rows that a node keeps in memory. */
export interface CachedRows {
  /**
   * Returns null when memory has every change that was reported as done before the call; a promise of it when the rows must
   * be read first; the error of the reading while they cannot be read: memory has the rows that were read last.
   */
  refresh(): Error | null | Promise<Error | null>;
  /** Reads what has changed since the last time. */
  read(): Promise<void>;
  /** Resolves when every node has read a change that is committed. */
  readEverywhere(): Promise<void>;
}

/** Begins to keep rows in memory. */
export type CacheRows = <Row extends VersionedRow>(source: RowSource<Row>) => CachedRows;

/**
 * Returns the version of a change of a table, which is higher than those before. Versions are committed in their order, because
 * the row of the state stays locked.
 */
export function* nextVersion(
  dialect: SqlDialect,
  column: "fault_version" | "scanner_version",
  table: "fault_list" | "scanner",
): Query<number> {
  const [state] = yield* rowsOf<VersionedRow>(`select ${column} as version from state ${dialect.forUpdate}`);
  // The state may be older than the table after a repair.
  const [last] = yield* rowsOf<VersionedRow>(`select coalesce(max(version), 0) as version from ${table}`);
  const version = Math.max(state?.version ?? 0, last?.version ?? 0) + 1;
  yield* rowsOf(`update state set ${column} = $1`, [version]);
  return version;
}
