import { Problem } from "../../../core/errors.ts";
import type { ProblemCode } from "../../../core/errors.ts";

/** A failure on its way from one thread to another. `code` is null for faults of ours. */
export interface Fault {
  readonly code: ProblemCode | null;
  readonly message: string;
  /** Whether the message is for callers to see. */
  readonly isPublic: boolean;
  readonly retryAfterSeconds: number | null;
  readonly stack: string | undefined;
}

/** Primary result codes of SQLite (sqlite.org/rescode.html) that callers can do something about. */
const problemOfResult: ReadonlyMap<number, ProblemCode> = new Map([
  [5, "unavailable"], // SQLITE_BUSY
  [6, "unavailable"], // SQLITE_LOCKED
  [8, "unavailable"], // SQLITE_READONLY: the medium was remounted
  [10, "unavailable"], // SQLITE_IOERR
  [11, "data_damaged"], // SQLITE_CORRUPT
  [13, "storage_full"], // SQLITE_FULL
  [14, "unavailable"], // SQLITE_CANTOPEN
]);
const fullResult = 13;
/** SQLITE_IOERR_SHMSIZE: no room for the index of the write-ahead log. */
const shmSizeResult = 10 | (19 << 8);

/** What an error of a database means for whoever called. */
export function toProblem(error: unknown): unknown {
  const result = sqliteResult(error);
  if (result === undefined) return error;
  const code = result === shmSizeResult ? "storage_full" : problemOfResult.get(result & 0xff);
  return code === undefined ? error : new Problem(code, { cause: error });
}

/** Whether an error of SQLite or of the file system says that the medium has no space left. */
export function isMediumFull(error: unknown): boolean {
  const result = sqliteResult(error);
  if (result !== undefined) return result === shmSizeResult || (result & 0xff) === fullResult;
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/** The result code of an error that SQLite reported; undefined for any other error. */
export function sqliteResult(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

/** Prepares an error for a message port, which would strip its class. */
export function toFault(error: unknown): Fault {
  const meaning = toProblem(error);
  const message = describe(error);
  if (meaning instanceof Problem) {
    const { code, retryAfterSeconds, stack } = meaning;
    return { code, message, isPublic: meaning === error, retryAfterSeconds, stack };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: null, message, isPublic: false, retryAfterSeconds: null, stack };
}

/** The error that {@link toFault} was given, as far as callers can tell. */
export function fromFault(fault: Fault): Error {
  const cause = new Error(fault.message);
  if (fault.stack !== undefined) cause.stack = fault.stack;
  const { code, message, isPublic, retryAfterSeconds } = fault;
  if (code === null) return cause;
  return new Problem(code, {
    cause,
    ...(isPublic && { text: message }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
