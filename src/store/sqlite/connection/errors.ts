import { Problem, type ProblemCode } from "../../../core/errors.ts";
import { serializeError, type SerializedError } from "../../threads/call-protocol.ts";

/** Problems for primary result codes of SQLite (sqlite.org/rescode.html) that callers can act on. */
const problemOfResult: ReadonlyMap<number, ProblemCode> = new Map([
  [5, "unavailable"], // SQLITE_BUSY
  [6, "unavailable"], // SQLITE_LOCKED
  [8, "unavailable"], // SQLITE_READONLY: the file system was remounted
  [10, "unavailable"], // SQLITE_IOERR
  [11, "data_damaged"], // SQLITE_CORRUPT
  [13, "storage_full"], // SQLITE_FULL
  [14, "unavailable"], // SQLITE_CANTOPEN
  [26, "data_damaged"], // SQLITE_NOTADB
]);
const fullResult = 13;
const corruptResult = 11;
const notDatabaseResult = 26;
/** SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log. */
const shmSizeResult = 10 | (19 << 8);

/** Returns the `Problem` that an error of SQLite means for callers; other errors unchanged. */
export function toProblem(error: unknown): unknown {
  const result = sqliteResult(error);
  if (result === undefined) return error;
  const code = result === shmSizeResult ? "storage_full" : problemOfResult.get(result & 0xff);
  return code === undefined ? error : new Problem(code, { cause: error });
}

/** Next step of an operator whose database has damaged pages. */
export const corruptionAdvice =
  "stop the service and copy what can be read into a new folder with `restante recover`, or restore a backup";

/** Whether an error of SQLite says that pages of the database are damaged, or that it is no database. */
export function isCorruption(error: unknown): boolean {
  const result = (sqliteResult(error) ?? 0) & 0xff;
  return result === corruptResult || result === notDatabaseResult;
}

/** Whether an error of SQLite or of the file system says that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  const result = sqliteResult(error);
  if (result !== undefined) return result === shmSizeResult || (result & 0xff) === fullResult;
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/** Returns the result code of an error that SQLite reported; undefined for any other error. */
export function sqliteResult(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

/** Serialises an error of SQLite, or any other, for a message port. */
export function serializeSqliteError(error: unknown): SerializedError {
  return serializeError(error, toProblem(error), isCorruption(error));
}
