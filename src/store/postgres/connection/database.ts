/** A database of PostgreSQL: statements and transactions over a few connections that heal. */
import { systemClock, type Clock } from "../../../core/clock.ts";
import { connect, type Connection } from "./connection.ts";
import { readDatabaseUrl } from "./connection-url.ts";
import { ConnectionLost, isWorthRepeating, toProblem } from "./errors.ts";
import { Pool } from "./pool.ts";

/** Runs statements. */
export interface Session {
  /**
   * The rows of one statement with parameters `$1`, `$2`, …; of several, separated by semicolons and without parameters,
   * none. `int8` comes as number (and is refused beyond 2^53), `bytea` as Buffer.
   */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/**
 * A database. Rejections are `Problem`s where callers can do something: `unavailable` when it is gone, shuts down, takes
 * no writes, or takes too long; `storage_full` when its disk is. Whether something was committed all the same tells
 * `mayBeCommitted` in `errors.ts`. Other errors are the server's own, with their SQLSTATE in `code`.
 */
export interface Database extends Session {
  /**
   * Runs `body` in a transaction. A body that meets a conflict with another transaction (serialization, deadlock) is run
   * again as a whole, so it must have no effect but on the database.
   */
  transact<Result>(body: (session: Session) => Promise<Result>): Promise<Result>;
  /** Resolves when nothing is under way any more. Later calls reject with `unavailable`. */
  close(): Promise<void>;
}

/** What may be chosen; everything has a default. */
export interface DatabaseOptions {
  readonly clock?: Clock;
  /** Connections at the same time; 16 unless given. */
  readonly connectionCountMax?: number;
  /** Longest time of one statement, in milliseconds; 30 seconds unless given. */
  readonly statementMsMax?: number;
  /** Longest wait of a transaction's statement for a lock, in milliseconds; 10 seconds unless given. */
  readonly lockMsMax?: number;
  /** How long a caller waits for a connection, in milliseconds, also while the database is gone; 5 seconds unless given. */
  readonly connectionWaitMsMax?: number;
  /** 0…1; the jitter of pauses. */
  readonly random?: () => number;
  /** Hears once when no connection can be made any more, and why. */
  readonly onUnreachable?: (cause: unknown) => void;
  /** Hears once when one can be made again, and how many milliseconds later. */
  readonly onReachable?: (goneMs: number) => void;
}

/** How long after the database should have ended a statement by itself it is asked to. */
const cancelReserveMs = 1000;
const attemptCountMax = 6;

/**
 * The database of a libpq URL; nothing is connected before the first statement. Throws an `Error` that says what is wrong
 * with the URL.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const target = readDatabaseUrl(url);
  const { clock = systemClock, random = Math.random } = options;
  const { connectionCountMax = 16, statementMsMax = 30_000, lockMsMax = 10_000, connectionWaitMsMax = 5000 } = options;
  const pool = new Pool({
    connect: () => connect(target),
    clock,
    sizeMax: connectionCountMax,
    connectionWaitMsMax,
    random,
    onUnreachable: options.onUnreachable,
    onReachable: options.onReachable,
  });
  const sessionOn = (connection: Connection, timeoutMs: number): Session => ({
    query: (sql, parameters = []) => connection.run({ sql, parameters, timeoutMs }),
  });
  // Time-outs are the transaction's own: a pooler may give the next one another session.
  const begin =
    `begin; set local statement_timeout = ${statementMsMax}; set local lock_timeout = ${lockMsMax}; ` +
    `set local idle_in_transaction_session_timeout = ${statementMsMax}`;

  async function repeating<Result>(once: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once();
      } catch (error) {
        if (attempt >= attemptCountMax || !isWorthRepeating(error)) throw toProblem(error);
        await new Promise<void>((resolve) => void clock.after(2 ** attempt * random(), resolve));
      }
    }
  }

  return {
    query: <Row>(sql: string, parameters?: readonly unknown[]) =>
      repeating(() => pool.use((connection) => sessionOn(connection, statementMsMax).query<Row>(sql, parameters))),
    transact: (body) =>
      repeating(() =>
        pool.use((connection) => {
          // The database ends its statements by itself: a request to cancel that comes late would end the next one.
          const session = sessionOn(connection, statementMsMax + cancelReserveMs);
          return transactOn(session, { begin, body, giveUp: () => connection.close() });
        }),
      ),
    close: () => pool.close(),
  };
}

interface Transaction<Result> {
  readonly begin: string;
  readonly body: (session: Session) => Promise<Result>;
  /** Ends the connection. */
  readonly giveUp: () => void;
}

async function transactOn<Result>(session: Session, { begin, body, giveUp }: Transaction<Result>): Promise<Result> {
  let result: Result;
  try {
    await session.query(begin);
    result = await body(session);
  } catch (error) {
    // Nothing was committed, for nobody asked for it.
    if (error instanceof ConnectionLost) throw new ConnectionLost(false, error.cause);
    // Nobody may get a connection that is still in a transaction.
    await session.query("rollback").catch(giveUp);
    throw error;
  }
  await session.query("commit");
  return result;
}
