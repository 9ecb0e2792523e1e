/** One connection to a database: the only file that knows the library `pg`. */
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import pg from "pg";
import type { DatabaseHost, DatabaseUrl } from "./connection-url.ts";
import { ConnectionLost, endsConnection } from "./errors.ts";

/** A statement with its parameters `$1`, `$2`, …; several without parameters, separated by semicolons. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** After so long it is cancelled; a server that does not even answer that loses the connection. */
  readonly timeoutMs: number;
}

/** One connection. Not for two statements at a time. */
export interface Connection {
  readonly host: DatabaseHost;
  /**
   * The rows of a statement; `int8` comes as number, `bytea` as Buffer. Rejects with the server's error, or with
   * {@link ConnectionLost}, also when the statement was done in spite of being cancelled. Statements have no names, and nothing is kept in the session, so that PgBouncer may give each
   * transaction another one.
   */
  run<Row>(statement: Statement): Promise<readonly Row[]>;
  /** Whether the server itself is at the other end: a pooler gives out process numbers of its own. */
  isDirect(timeoutMs: number): Promise<boolean>;
  /** False once it has broken, or the server said that it will. */
  isUsable(): boolean;
  /** Calls back once when it has ended, by whomever. */
  onEnd(listener: () => void): void;
  /** Hears what others NOTIFY; only where the connection is a session of its own. */
  onNotification(listener: (channel: string, payload: string) => void): void;
  close(): void;
}

/** A server that takes no writes was passed over. */
class TakesNoWrites extends Error {
  override readonly name: string = "TakesNoWrites";
}

/** How long a server may take to answer a request to cancel. */
const cancelGraceMs = 3000;

/**
 * Connects to the first of the hosts that lets us in and, where asked, takes writes. Rejects with an `AggregateError` of
 * what each said.
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
  const said = errors.map((error) => (error instanceof Error ? error.message : String(error))).join("; ");
  throw new AggregateError(errors, `no host of the database can be used: ${said}`);
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
  if (row?.transaction_read_only !== "off") throw new TakesNoWrites(`${connection.host.host} takes no writes`);
}

class PgConnection implements Connection {
  readonly host: DatabaseHost;
  readonly #client: pg.Client;
  #isUsable = true;

  constructor(client: pg.Client, host: DatabaseHost) {
    this.#client = client;
    this.host = host;
    // An error between two statements: whoever uses the connection next must not.
    client.on("error", () => {
      this.#isUsable = false;
    });
    client.on("end", () => {
      this.#isUsable = false;
    });
  }

  async run<Row>({ sql, parameters, timeoutMs }: Statement): Promise<readonly Row[]> {
    let isCancelled = false;
    const cancelling = setTimeout(() => {
      isCancelled = true;
      this.#cancel();
    }, timeoutMs);
    try {
      const values = [...parameters];
      const result = await this.#client.query<Row & pg.QueryResultRow>({ text: sql, values });
      // A commit whose wait for a standby was cancelled is said to be done, and no standby need have it.
      if (isCancelled) throw new ConnectionLost(true);
      return Array.isArray(result) ? [] : result.rows;
    } catch (error) {
      throw this.#explain(error);
    } finally {
      clearTimeout(cancelling);
    }
  }

  async isDirect(timeoutMs: number): Promise<boolean> {
    const sql = "select pg_backend_pid() as pid";
    const [row] = await this.run<{ pid: number }>({ sql, parameters: [], timeoutMs });
    return row?.pid === this.#keys.processID;
  }

  isUsable(): boolean {
    return this.#isUsable;
  }

  onEnd(listener: () => void): void {
    this.#client.once("end", listener);
  }

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

  /** What the server said at the start, for requests to cancel. */
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

  /** PostgreSQL documentation, "Canceling Requests in Progress": a connection of its own that carries sixteen bytes. */
  #cancel(): void {
    const { processID, secretKey } = this.#keys;
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(80_877_102, 4);
    request.writeInt32BE(processID, 8);
    request.writeInt32BE(secretKey, 12);
    const { host, port } = this.host;
    const socket = createConnection(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    // The other side ends it: a pooler forgets the request of one who has gone before it was passed on.
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

/** Errors of the socket carry a code in capital letters; those of a lost session are known by the library's words. */
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
  if (!Number.isSafeInteger(number)) throw new Error("an int8 is larger than a number holds; ask for it as text");
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
