/** PostgreSQL database: statements and transactions over a few connections that reconnect by themselves. */
import { systemClock, type Clock } from "../../../core/clock.ts";
import { connect, type Connection } from "./connection.ts";
import { readDatabaseUrl } from "./connection-url.ts";
import { ConnectionLost, isWorthRepeating, toProblem } from "./errors.ts";
import { Pool } from "./pool.ts";
import { Problem } from "../../../core/errors.ts";

/** Runs statements. */
export interface Session {
  /**
   * Returns the rows of one statement with parameters `$1`, `$2`, …, or none for several statements without parameters,
   * separated by semicolons. `int8` comes as number (above 2^53 it is an error), `bytea` as Buffer.
   */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
}

/**
 * Database. Rejections are `Problem`s where callers can react: `unavailable` when it is unreachable, shuts down, is
 * read-only, or times out; `storage_full` when its disk is full. `mayBeCommitted` in `errors.ts` tells whether the
 * transaction may have been committed. Other errors are those of the server, with their SQLSTATE in `code`.
 */
export interface Database extends Session {
  /**
   * Runs `body` in a transaction. After a conflict with another transaction (serialization, deadlock) it is run again,
   * so it must have no effect outside the database.
   */
  transact<Result>(body: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * Runs `body`, which only reads, in a transaction of one snapshot with these settings (`set local …; …`). Resolves without
   * waiting for the end of the transaction, which decides nothing, so that callers wait for one round trip less.
   */
  read<Result>(settings: string, body: (session: Session) => Promise<Result>): Promise<Result>;
  /** Closes the database; resolves when all calls have ended. Later calls reject with `unavailable`. */
  close(): Promise<void>;
}

/** Returns a database whose calls pass through a function. Closing it closes the database, by default at once. */
export function wrapDatabase(
  database: Database,
  pass: <Result>(call: () => Promise<Result>) => Promise<Result>,
  close: () => Promise<void> = async () => await database.close(),
): Database {
  return {
    query: async (sql, parameters) => await pass(async () => await database.query(sql, parameters)),
    transact: async (body) => await pass(async () => await database.transact(body)),
    read: async (settings, body) => await pass(async () => await database.read(settings, body)),
    close,
  };
}

/** Options of a database; all have defaults. */
export interface DatabaseOptions {
  readonly clock?: Clock;
  /** Maximum number of connections; 16 by default. */
  readonly connectionCountMax?: number;
  /** Statement timeout in milliseconds; 30 seconds by default. */
  readonly statementMsMax?: number;
  /** Lock timeout in milliseconds; 10 seconds by default. */
  readonly lockMsMax?: number;
  /** Longest wait of a caller for a connection in milliseconds, also during an outage; 5 seconds by default. */
  readonly connectionWaitMsMax?: number;
  /** Random number from 0 to 1, for the jitter of pauses. */
  readonly random?: () => number;
  /** Called once when no connection can be opened, with the error. */
  readonly onUnreachable?: (cause: unknown) => void;
  /** Called once when connections can be opened again, with the length of the outage in milliseconds. */
  readonly onReachable?: (goneMs: number) => void;
}

/** Extra time after the statement timeout of the server before a cancel request is sent. */
const cancelReserveMs = 1000;
const attemptCountMax = 6;

/**
 * Opens the database of a libpq URL; connects with the first statement. Throws an `Error` that names the mistake in the
 * URL.
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
  // Timeouts are set for each transaction: a pooler may give the next one another session.
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
          // The server enforces the timeout: a late cancel request would hit the next statement.
          const session = sessionOn(connection, statementMsMax + cancelReserveMs);
          return transactOn(session, { begin, body, giveUp: () => connection.close() });
        }),
      ),
    read: <Result>(settings: string, body: (session: Session) => Promise<Result>) =>
      repeating(
        () =>
          new Promise<Result>((resolve, reject) => {
            const ended = pool.use(async (connection) => {
              const session = sessionOn(connection, statementMsMax + cancelReserveMs);
              const snapshot = `${begin}; set transaction isolation level repeatable read, read only; ${settings}`;
              await transactOn(session, {
                begin: snapshot,
                body,
                giveUp: () => connection.close(),
                onResult: resolve,
              });
            });
            // Has no effect once there is a result.
            ended.catch(reject);
          }),
      ),
    close: () => pool.close(),
  };
}

interface Transaction<Result> {
  readonly begin: string;
  readonly body: (session: Session) => Promise<Result>;
  /** Closes the connection. */
  readonly giveUp: () => void;
  /** Receives the result before the commit. */
  readonly onResult?: (result: Result) => void;
}

async function transactOn<Result>(
  session: Session,
  { begin, body, giveUp, onResult }: Transaction<Result>,
): Promise<Result> {
  let result: Result;
  try {
    await session.query(begin);
    result = await body(session);
  } catch (error) {
    // The transaction was not committed: no commit was sent.
    if (error instanceof ConnectionLost) throw new ConnectionLost(false, error.cause);
    // A connection inside a transaction must not return to the pool.
    await session.query("rollback").catch(giveUp);
    throw error;
  }
  onResult?.(result);
  await session.query("commit");
  return result;
}

/**
 * Admits calls until it is closed, and waits for the admitted ones. Statements of an admitted call are executed after
 * closing began.
 */
export class OpenGate {
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Runs one call; rejects with `unavailable` after closing. */
  async pass<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Problem("unavailable");
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Rejects new calls; resolves when all admitted calls have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
  }
}

/** Returns the database with every call passing the gate. */
export function gated(database: Database, gate: OpenGate): Database {
  return wrapDatabase(database, async (call) => await gate.pass(call));
}
