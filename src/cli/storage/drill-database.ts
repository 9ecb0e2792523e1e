/** Drill of a PostgreSQL database, with the programs by which it is backed up. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reachDatabase } from "../../app/open-store.ts";
import type { Config } from "../../app/settings/config.ts";
import { compareDatabases } from "../../store/postgres/backup/compare.ts";
import { openDrillDatabases, type DrillDatabases } from "../../store/postgres/backup/drill-databases.ts";
import { libpqEnvironment, readDatabaseUrl, withDatabase } from "../../store/postgres/connection/connection-url.ts";
import type { Terminal } from "../command.ts";
import { checkShared } from "./check.ts";
import {
  type DrillOptions,
  type DrillReport,
  freeBytesOfDisk,
  requireSpace,
  runSteps,
  secretNotes,
} from "./drill-steps.ts";
import { megabytes } from "./progress-bar.ts";
import { openTarget } from "./transfer-stores.ts";

/** Parameters of {@link drillDatabase}. */
export interface DatabaseDrill extends DrillOptions {
  readonly config: Config;
  /** URL of the database that is backed up. */
  readonly url: string;
  /** URL of a database on the server that gets the copy; null for the server of `url`. */
  readonly scratchUrl: string | null;
  /** URL of a copy that was restored before, which stays; null to restore one. */
  readonly restoredUrl: string | null;
  readonly environment: Terminal["environment"];
}

/**
 * Dumps a database, restores the dump, or a given one, to a database that is created for it and removed at the end, checks it
 * and compares it with the first one. Faults of the backup are part of the report; rejects with a plain `Error` for the operator
 * when the drill cannot run, and with the reason of the signal when it is interrupted.
 */
export async function drillDatabase(options: DatabaseDrill): Promise<DrillReport> {
  const { url, scratchUrl, restoredUrl } = options;
  if (restoredUrl === url) throw new Error("--restored names the database of RESTANTE_DATABASE_URL itself");
  await using databases = await reachDatabase(async () => openDrillDatabases(url, scratchUrl ?? url));
  if (restoredUrl !== null) return await run(options, { databases, copyUrl: restoredUrl, folder: "" });
  if (databases.isDistributed) {
    throw new Error(
      "pg_dump cannot copy a database of Citus: restore it by the means of your cluster, and give the copy with --restored",
    );
  }
  await requirePrograms(options);
  if (options.backup === null) requireSpace(databases.sizeBytes, options.freeBytesIn ?? freeBytesOfDisk);
  else if (statSync(options.backup, { throwIfNoEntry: false }) === undefined) {
    throw new Error(`There is no backup at ${options.backup}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "restante-drill-"));
  const name = `restante_drill_${randomBytes(6).toString("hex")}`;
  try {
    return await run(options, { databases, copyUrl: withDatabase(scratchUrl ?? url, name), folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await databases.drop(name);
  }
}

/** Resources of one drill. */
interface DrillPlace {
  readonly databases: DrillDatabases;
  readonly copyUrl: string;
  /** Folder of the dump. */
  readonly folder: string;
}

async function run(options: DatabaseDrill, { databases, copyUrl, folder }: DrillPlace): Promise<DrillReport> {
  const { config, url, backup, restoredUrl, sampleCount } = options;
  const file = backup ?? join(folder, "drill.dump");
  const copy = { ...config, databaseUrl: copyUrl };
  const { database: name } = readDatabaseUrl(copyUrl);
  const backUp = async (): Promise<string> => {
    await runProgram(options, ["pg_dump", "--format=custom", `--file=${file}`], url);
    return `${megabytes(statSync(file).size)} written by pg_dump`;
  };
  const restore = async (): Promise<string> => {
    await databases.create(name);
    const flags = ["--no-owner", "--no-privileges", "--exit-on-error", `--dbname=${name}`];
    await runProgram(options, ["pg_restore", ...flags, file], copyUrl);
    return `the database, by pg_restore, as ${name}`;
  };
  const bucket =
    config.blobUrl === null ? [] : ["content in RESTANTE_BLOB_URL is read from the bucket, which is not in the backup"];
  return await runSteps(
    {
      source: shownUrl(url),
      backup: restoredUrl === null ? backup : shownUrl(restoredUrl),
      backUp: backup === null && restoredUrl === null ? backUp : null,
      restore: restoredUrl === null ? restore : null,
      check: async () => checkShared(copy),
      compare: async () => compareDatabases({ source: url, restored: copyUrl, sampleCount }),
      open: async () => openTarget(copy),
      notes: [...secretNotes(options), ...bucket],
    },
    options,
  );
}

/** Returns hosts and name of a database. */
function shownUrl(url: string): string {
  const { hosts, database } = readDatabaseUrl(url);
  return `postgres://${hosts.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`;
}

type ProgramOptions = Pick<DatabaseDrill, "environment" | "interrupted">;

async function requirePrograms(options: ProgramOptions & Pick<DatabaseDrill, "backup" | "url">): Promise<void> {
  for (const name of options.backup === null ? ["pg_dump", "pg_restore"] : ["pg_restore"]) {
    await runProgram(options, [name, "--version"], options.url).catch((error: unknown) => {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      throw isMissing
        ? new Error(
            `${name} was not found: install the client programs of PostgreSQL, in the version of the server or newer`,
          )
        : error;
    });
  }
}

/** Characters of the output of a program that are kept, from its end. */
const outputLengthMax = 2000;

/** Runs a program of PostgreSQL with the connection of a URL. Rejects with the end of its output when it fails. */
async function runProgram(
  { environment, interrupted: signal }: ProgramOptions,
  [program = "", ...argv]: readonly string[],
  url: string,
): Promise<void> {
  const { PGSERVICE: _service, PGHOSTADDR: _address, ...own } = environment;
  const env = { ...own, ...libpqEnvironment(url) };
  const child = spawn(program, argv, { env, stdio: ["ignore", "ignore", "pipe"], signal });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-outputLengthMax)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0)
    throw new Error(output.trim().split("\n").slice(0, 3).join(" ") || `${program} exited with ${code ?? "a signal"}`);
}
