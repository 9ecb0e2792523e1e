/** What PostgreSQL's errors mean for callers (PostgreSQL documentation, appendix "PostgreSQL Error Codes"). */
import { Problem, type ProblemCode } from "../../../core/errors.ts";

/** The connection went while something was under way on it. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
  /** Whether what was under way may have been committed all the same. */
  readonly mayBeCommitted: boolean;

  constructor(mayBeCommitted: boolean, cause?: unknown) {
    super("the connection to the database was lost", { cause });
    this.mayBeCommitted = mayBeCommitted;
  }
}

/** How long callers are told to wait. */
export const retryAfterSeconds = 2;

const retryStates: ReadonlySet<string> = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
]);

/** Whole codes, and classes by their first two characters. */
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

/** After these the connection is worth nothing, though it may still answer. */
const endingStates: ReadonlySet<string> = new Set(["25006", "57P01", "57P02", "57P03"]);

/** The five characters of SQLSTATE; undefined for errors that no server reported. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether the transaction did nothing and may well succeed when it is run once more. */
export function isWorthRepeating(error: unknown): boolean {
  return retryStates.has(sqlStateOf(error) ?? "");
}

/** Whether the server said that this connection has no future. */
export function endsConnection(error: unknown): boolean {
  return endingStates.has(sqlStateOf(error) ?? "");
}

/** Whether an error that a `Database` rejected with leaves open if the statement or transaction was committed. */
export function mayBeCommitted(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error;
  return cause instanceof ConnectionLost && cause.mayBeCommitted;
}

/** What an error means for whoever called: a `Problem` of the catalogue where they can do something about it. */
export function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof ConnectionLost) return unavailable(error);
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  const code = problemOfState.get(state) ?? problemOfState.get(state.slice(0, 2));
  if (code === undefined) return error;
  return code === "unavailable" ? unavailable(error) : new Problem(code, { cause: error });
}

/** The database cannot be had now. */
export function unavailable(cause: unknown): Problem {
  return new Problem("unavailable", { cause, retryAfterSeconds });
}
