/** Connection to a database. The only file that imports the library `pg`. */
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import pg from "pg";
import type { DatabaseHost, DatabaseUrl } from "./connection-url.ts";
import { ConnectionLost, endsConnection } from "./errors.ts";

/** Statement with parameters `$1`, `$2`, …; or several statements without parameters, separated by semicolons. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Time after which the statement is cancelled; a server that does not react to that loses the connection. */
  readonly timeoutMs: number;
}

/** Connection that runs one statement at a time. */
export type Connection = Pick<PgConnection, keyof PgConnection>;

/** Error of a read-only server that was skipped. */
class ReadOnlyServer extends Error {
  override readonly name: string = "ReadOnlyServer";
}

/** Timeout of a cancel request. */
const cancelGraceMs = 3000;

/**
 * Connects to the first host that accepts the connection and, where required, writes. Rejects with an `AggregateError`
 * of the errors of all hosts.
 */
export async function connect(url: DatabaseUrl): Promise<Connection> {
  const errors: unknown[] = [];
  for (const host of url.hosts) {
    try {
      return await connectTo(url, host);
    } catch (error) {
      errors.push(error);
    }
  }
  const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error))).join("; ");
  throw new AggregateError(errors, `cannot connect to any host of the database: ${reasons}`);
}

async function connectTo(url: DatabaseUrl, host: DatabaseHost): Promise<Connection> {
  const client = new pg.Client({
    host: host.host,
    port: host.port,
    user: url.user,
    database: url.database,
    ...(url.password === null ? {} : { password: url.password }),
    ssl: tlsOptions(url),
    connectionTimeoutMillis: url.connectMsMax,
    application_name: url.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  });
  const connection = new PgConnection(client, host);
  try {
    await client.connect();
    if (url.readWrite) await refuseReadOnly(connection, url.connectMsMax);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function refuseReadOnly(connection: Connection, timeoutMs: number): Promise<void> {
  const sql = "show transaction_read_only";
  const [row] = await connection.run<{ transaction_read_only: string }>({ sql, parameters: [], timeoutMs });
  if (row?.transaction_read_only !== "off") throw new ReadOnlyServer(`${connection.host.host} is read-only`);
}

class PgConnection {
  readonly host: DatabaseHost;
  readonly #client: pg.Client;
  #isUsable = true;

  constructor(client: pg.Client, host: DatabaseHost) {
    this.#client = client;
    this.host = host;
    // The connection failed between two statements; it must not be used again.
    client.on("error", () => {
      this.#isUsable = false;
    });
    client.on("end", () => {
      this.#isUsable = false;
    });
  }

  /**
   * Returns the rows of a statement; `int8` comes as number, `bytea` as Buffer. Rejects with the error of the server,
   * or with {@link ConnectionLost}, also when a cancelled statement was executed. Statements are unnamed and leave no
   * session state, so that PgBouncer may give each transaction another session.
   */
  async run<Row>({ sql, parameters, timeoutMs }: Statement): Promise<readonly Row[]> {
    let isCancelled = false;
    const cancelling = setTimeout(() => {
      isCancelled = true;
      this.#cancel();
    }, timeoutMs);
    try {
      const values = [...parameters];
      const result = await this.#client.query<Row & pg.QueryResultRow>({ text: sql, values });
      // The server reports a commit as done when its wait for a standby was cancelled, though no standby may have it.
      if (isCancelled) throw new ConnectionLost(true);
      return Array.isArray(result) ? [] : result.rows;
    } catch (error) {
      throw this.#explain(error);
    } finally {
      clearTimeout(cancelling);
    }
  }

  /** Returns whether the server itself answers: a pooler reports process ids of its own. */
  async isDirect(timeoutMs: number): Promise<boolean> {
    const sql = "select pg_backend_pid() as pid";
    const [row] = await this.run<{ pid: number }>({ sql, parameters: [], timeoutMs });
    return row?.pid === this.#keys.processID;
  }

  /** Returns false once the connection is broken, or the server announced its end. */
  isUsable(): boolean {
    return this.#isUsable;
  }

  /** Calls the listener once when the connection has ended, for whatever reason. */
  onEnd(listener: () => void): void {
    this.#client.once("end", listener);
  }

  /** Calls the listener for each NOTIFY; needs a session of its own. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on("notification", ({ channel, payload = "" }) => {
      listener(channel, payload);
    });
  }

  close(): void {
    this.#isUsable = false;
    // Harmless: nothing uses the connection any more, and the server ends it when the socket closes.
    void this.#client.end().catch(() => undefined);
  }

  /** Process id and secret from the start of the session, for cancel requests. */
  get #keys(): { readonly processID: number; readonly secretKey: number } {
    return this.#client as unknown as { processID: number; secretKey: number };
  }

  #explain(error: unknown): unknown {
    if (endsConnection(error)) this.#isUsable = false;
    if (error instanceof pg.DatabaseError) return error;
    if (error instanceof ConnectionLost) {
      this.close();
      return error;
    }
    if (this.#isUsable && !isBroken(error)) return error;
    this.close();
    return new ConnectionLost(true, error);
  }

  /**
   * Sends a cancel request over a connection of its own (PostgreSQL documentation, "Canceling Requests in Progress").
   */
  #cancel(): void {
    const { processID, secretKey } = this.#keys;
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(80_877_102, 4);
    request.writeInt32BE(processID, 8);
    request.writeInt32BE(secretKey, 12);
    const { host, port } = this.host;
    const socket = createConnection(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    // The server closes it: a pooler drops the request of a client that disconnects before it was forwarded.
    socket.on("error", () => undefined).resume();
    socket.write(request);
    const grace = setTimeout(() => {
      this.close();
      socket.destroy();
    }, cancelGraceMs);
    socket.unref();
    this.#client.once("drain", () => {
      clearTimeout(grace);
    });
  }
}

/**
 * Returns whether an error means a lost connection: socket errors have a code in capital letters, lost sessions a
 * message of the library.
 */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const hasCode = "code" in error && typeof error.code === "string" && /^(?:E[A-Z_]+|ERR_[A-Z_]+)$/.test(error.code);
  return hasCode || /^(?:Connection terminated|Client has encountered|Client was closed)/.test(error.message);
}

const int8 = 20;

function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  return oid === int8 && format !== "binary"
    ? readInt8
    : (pg.types.getTypeParser(oid, format) as (text: string) => unknown);
}

function readInt8(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error("an int8 value is not a safe integer; select it as text");
  return number;
}

function tlsOptions(url: DatabaseUrl): pg.ClientConfig["ssl"] {
  if (url.tls === "disable") return false;
  const read = (file: string | null) => (file === null ? undefined : readFileSync(file, "utf8"));
  const ca = read(url.tlsRootFile);
  const cert = read(url.tlsCertificateFile);
  const key = read(url.tlsKeyFile);
  return {
    rejectUnauthorized: url.tls !== "require",
    ...(url.tls === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
