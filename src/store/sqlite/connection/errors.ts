import { Problem } from "../../../core/errors.ts";
import type { ProblemCode, ReachedLimit } from "../../../core/errors.ts";

/** Error in a form that message ports preserve. `code` is null for internal errors. */
export interface SerializedError {
  readonly code: ProblemCode | null;
  readonly message: string;
  /** True when callers may see the message. */
  readonly isPublic: boolean;
  /** See {@link isCorruption}. */
  readonly isCorruption: boolean;
  readonly retryAfterSeconds: number | null;
  readonly limit: ReachedLimit | null;
  readonly stack: string | undefined;
}

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

/** Serialises an error for a message port, which would strip its class. */
export function serializeError(error: unknown): SerializedError {
  const problem = toProblem(error);
  const message = describe(error);
  if (problem instanceof Problem) {
    const { code, retryAfterSeconds, limit, stack } = problem;
    const isPublic = problem === error;
    return { code, message, isPublic, isCorruption: isCorruption(error), retryAfterSeconds, limit, stack };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: null, message, isPublic: false, isCorruption: false, retryAfterSeconds: null, limit: null, stack };
}

/** Restores an error from what {@link serializeError} returned. */
export function deserializeError(serialized: SerializedError): Error {
  const cause = new Error(serialized.message);
  if (serialized.stack !== undefined) cause.stack = serialized.stack;
  const { code, message, isPublic, retryAfterSeconds, limit } = serialized;
  if (code === null) return cause;
  return new Problem(code, {
    cause,
    limit,
    ...(isPublic && { text: message }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
