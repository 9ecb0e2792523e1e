/**
 * Mapping of PostgreSQL errors to problems of the catalogue (PostgreSQL documentation, appendix "PostgreSQL Error
 * Codes").
 */
import { Problem, type ProblemCode } from "../../../core/errors.ts";

/** Error of a connection that was lost during a statement or transaction. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
  /** True when the transaction may have been committed. */
  readonly mayBeCommitted: boolean;

  constructor(mayBeCommitted: boolean, cause?: unknown) {
    super("the connection to the database was lost", { cause });
    this.mayBeCommitted = mayBeCommitted;
  }
}

/** Value of `Retry-After` in seconds. */
export const retryAfterSeconds = 2;

const retryStates: ReadonlySet<string> = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
]);

/** SQLSTATE codes, and classes by their first two characters. */
const problemOfState: ReadonlyMap<string, ProblemCode> = new Map([
  ["08", "unavailable"], // connection_exception
  ["25006", "unavailable"], // read_only_sql_transaction: this one is a standby now
  ["25P03", "unavailable"], // idle_in_transaction_session_timeout
  ["40", "unavailable"], // transaction_rollback, retried in vain
  ["53100", "storage_full"], // disk_full
  ["53", "unavailable"], // insufficient_resources
  ["55P03", "unavailable"], // lock_not_available
  ["57", "unavailable"], // operator_intervention: shutdown, crash, statement_timeout
  ["58030", "unavailable"], // io_error
]);

/** Codes after which a connection must not be used again. */
const endingStates: ReadonlySet<string> = new Set(["25006", "57P01", "57P02", "57P03"]);

/** Returns the SQLSTATE of an error; undefined for errors that no server reported. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns whether the transaction was rolled back and may succeed when repeated. */
export function isWorthRepeating(error: unknown): boolean {
  return retryStates.has(sqlStateOf(error) ?? "");
}

/** Returns whether the connection must not be used again. */
export function endsConnection(error: unknown): boolean {
  return endingStates.has(sqlStateOf(error) ?? "");
}

/**
 * Returns whether the statement or transaction may have been committed although a `Database` rejected with this error.
 */
export function mayBeCommitted(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error;
  return cause instanceof ConnectionLost && cause.mayBeCommitted;
}

/** Converts an error to a `Problem` of the catalogue where callers can react to it, else returns it. */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof ConnectionLost) return unavailable(error);
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  const code = problemOfState.get(state) ?? problemOfState.get(state.slice(0, 2));
  if (code === undefined) return error;
  return code === "unavailable" ? unavailable(error) : new Problem(code, { cause: error });
}

/** Returns the problem of a database that is unreachable. */
export function unavailable(cause: unknown): Problem {
  return new Problem("unavailable", { cause, retryAfterSeconds });
}
