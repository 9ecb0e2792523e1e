import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Config } from "../../app/settings/config.ts";
import type { AuditedAction } from "../../core/audit-entry.ts";
import { databaseFileName } from "../../store/sqlite/connection/store-directory.ts";
import { backupFolder } from "../../store/sqlite/backup/backup.ts";
import { compareCopies } from "../../store/sqlite/backup/compare.ts";
import { checkFolder } from "../../store/sqlite/backup/repair.ts";
import { restoreFolder } from "../../store/sqlite/backup/restore.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { type Action, type Call, configOf, exitCodes, toJson, UsageError } from "../command.ts";
import { plainMessage } from "../plain-message.ts";
import { type AuditPlace, recordCommand } from "../record-command.ts";
import { backedUpFiles } from "./backup.ts";
import {
  type DrillOptions,
  type DrillReport,
  freeBytesOfDisk,
  requireSpace,
  runSteps,
  secretNotes,
} from "./drill-steps.ts";
import { megabytes, whole } from "./progress-bar.ts";
import { openTarget } from "./transfer-stores.ts";

/** Largest and usual number of messages whose contents are compared; the help of the command names both. */
const [sampleCountMax, usualSampleCount] = [100_000, 1000];
/** Servers without a fault that the text names. */
const namedServerCountMax = 20;

/** Runs `restante drill`: exits with 1 when a backup does not restore whole. */
export const drill: Action = async (call) => {
  const config = configOf(call);
  const { flags, terminal } = call;
  const record = async (details: AuditedAction["details"]): Promise<void> => {
    await recordDrill({ config, terminal }, details);
  };
  try {
    const report = await untilSignal(async (interrupted) => {
      const given = flags.get("backup");
      const options = {
        backup: given === undefined ? null : resolve(given),
        sampleCount: sampleOf(flags.get("sample")),
        clock: terminal.clock,
        secretNames: ["RESTANTE_SECRET_KEY", "RESTANTE_API_KEY"].filter((name) => terminal.environment[name]),
        interrupted,
      };
      return await runDrill(call, config, options);
    });
    terminal.out(flags.has("json") ? toJson(report) : textOf(report));
    const failed = report.steps.find(({ status }) => status === "failed");
    await record(failed === undefined ? {} : { failed: true, reason: `${failed.step}: ${failed.text}` });
    return failed === undefined ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    await record({ failed: true, reason: error instanceof Error ? plainMessage(error) : String(error) });
    throw error;
  }
};

async function runDrill({ flags, terminal }: Call, config: Config, options: DrillOptions): Promise<DrillReport> {
  const [scratch, restored] = [flags.get("scratch"), flags.get("restored")];
  if (config.databaseUrl === null) {
    if (scratch !== undefined || restored !== undefined) {
      throw new UsageError("--scratch and --restored are for PostgreSQL: set RESTANTE_DATABASE_URL");
    }
    return await drillFolder({ ...options, dataDir: config.dataDir });
  }
  if (restored !== undefined && (scratch !== undefined || options.backup !== null)) {
    throw new UsageError("--restored: a copy that exists needs neither --scratch nor --backup");
  }
  const { drillDatabase } = await import("./drill-database.ts");
  // Statements and programs need a connection without a pooler.
  const url = config.databaseListenUrl ?? config.databaseUrl;
  const urls = { url, scratchUrl: scratch ?? null, restoredUrl: restored ?? null };
  return await drillDatabase({ ...options, ...urls, config, environment: terminal.environment });
}

/** Records the drill in the database, or in the data folder if there is one, and prints why it cannot. */
async function recordDrill(
  { config, terminal }: AuditPlace & { readonly config: Config },
  details: AuditedAction["details"],
): Promise<void> {
  if (config.databaseUrl === null) {
    const isThere = statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isThere) await recordCommand({ config, terminal }, "store.drill", { details });
    return;
  }
  try {
    await using opened = new AsyncDisposableStack();
    const store = opened.adopt(await openTarget(config), (one) => one.close());
    await recordCommand({ config, terminal, store }, "store.drill", { details });
  } catch (error) {
    terminal.error(`The drill could not be recorded in the audit log: ${plainMessage(error as Error)}\n`);
  }
}

/** Runs `body` with a signal that SIGINT and SIGTERM abort, so that it can remove its copies of the mail. */
async function untilSignal<Result>(body: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new Error("the drill was interrupted"));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await body(interrupt.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

function sampleOf(given = String(usualSampleCount)): number {
  const count = Number(given);
  if (/^\d+$/.test(given) && count > 0 && count <= sampleCountMax) return count;
  throw new UsageError(`--sample: give a number from 1 to ${sampleCountMax}`);
}

function textOf({ passed, steps, servers, notes }: DrillReport): string {
  const faulty = servers.filter(({ isFaulty }) => isFaulty);
  const shown = [...faulty, ...servers.filter(({ isFaulty }) => !isFaulty).slice(0, namedServerCountMax)];
  const hiddenCount = servers.length - shown.length;
  return [
    ...steps.map(({ step, status, seconds, text }) => `${status.padEnd(9)}${step.padEnd(9)}${text} (${seconds} s)`),
    ...shown.map((server) => `${(server.isFaulty ? "failed" : "ok").padEnd(9)}${lineOf(server)}`),
    ...(hiddenCount > 0 ? [`ok       ${whole(hiddenCount)} other servers`] : []),
    ...notes.map((note) => `note     ${note}`),
    passed ? "The backup restores whole.\n" : "THE BACKUP DOES NOT RESTORE WHOLE.\n",
  ].join("\n");
}

function lineOf(server: DrillReport["servers"][number]): string {
  const { restoredCount, sourceCount, state } = server;
  const start = `server ${server.server}: ${whole(restoredCount)} messages restored`;
  if (state === "new") return `server ${server.server}: created after the backup, with ${whole(sourceCount)} messages`;
  if (state === "removed") return `${start}; deleted since the backup`;
  if (state === "other") return `${start}; not compared, because it was created or restored after the backup`;
  const counts = [
    `${whole(sourceCount)} in the source`,
    ...counted(server.arrivedCount, "arrived since"),
    ...counted(server.changedCount, "changed since"),
    ...counted(server.removedCount, "removed since"),
    ...counted(server.missingCount, "MISSING"),
    ...counted(server.differingCount, "WITH ANOTHER SUMMARY"),
    ...counted(server.sampleDifferingCount, "WITH OTHER CONTENT"),
    `contents of ${whole(server.sampledCount)} compared`,
  ];
  const named = server.named.length > 0 ? `: ${server.named.join(", ")}` : "";
  return `${start}; ${counts.join(", ")}${named}`;
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${whole(count)} ${what}`];
}

/** Parameters of {@link drillFolder}. */
interface FolderDrill extends DrillOptions {
  readonly dataDir: string;
}

/**
 * Restores a backup to a temporary folder, which is removed at the end, checks it and compares it with the data folder. Faults
 * of the backup are part of the report; rejects with a plain `Error` for the operator when the drill cannot run, and with the
 * reason of the signal when it is interrupted.
 */
export async function drillFolder(options: FolderDrill): Promise<DrillReport> {
  const { dataDir, backup, clock, sampleCount } = options;
  const hasSource = statSync(join(dataDir, databaseFileName), { throwIfNoEntry: false }) !== undefined;
  requireSpaceOf(options);
  const folder = mkdtempSync(join(tmpdir(), "restante-drill-"));
  const [file, restored] = [backup ?? join(folder, "drill.backup"), join(folder, "restored")];
  const notes: string[] = [];
  const subject = {
    source: dataDir,
    backup,
    notes,
    backUp: async () => {
      backupFolder(dataDir, file, backedUpFiles);
      return `${megabytes(statSync(file).size)} written`;
    },
    restore: async () => {
      const names = restoreFolder(file, restored, { names: backedUpFiles, now: clock.now() });
      notes.push(...differingFiles({ dataDir, restored, names }), ...secretNotes(options));
      return ["the database", ...names].join(", ");
    },
    check: async () => {
      const { messageCount, structure, messages } = checkFolder(restored, () => undefined);
      const findings = [...structure, ...messages.map(({ id, problems }) => `message ${id}: ${problems.join("; ")}`)];
      return { messageCount, findings };
    },
    compare: async () => {
      if (!hasSource) return `there is no database in ${dataDir}`;
      return compareCopies({ source: dataDir, restored, backup: file, sampleCount });
    },
    open: async () => openSqliteStore({ directory: restored, durable: false }),
  };
  try {
    return await runSteps({ ...subject, backUp: backup === null ? subject.backUp : null }, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireSpaceOf({ dataDir, backup, freeBytesIn = freeBytesOfDisk }: FolderDrill): void {
  const database = join(dataDir, databaseFileName);
  const sizes = (backup === null ? [database, `${database}-wal`] : [backup]).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  if (sizes[0] === undefined)
    throw new Error(backup === null ? `There is no database at ${database}` : `There is no backup at ${backup}`);
  const sizeBytes = sizes.reduce<number>((total, size = 0) => total + size, 0);
  requireSpace(sizeBytes * (backup === null ? 2 : 1), freeBytesIn);
}

/** Returns notes about files of the data folder that are not in the backup, or others there. */
function differingFiles({
  dataDir,
  restored,
  names,
}: {
  readonly dataDir: string;
  readonly restored: string;
  readonly names: readonly string[];
}): readonly string[] {
  const own = backedUpFiles.filter(
    (name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.isFile() === true,
  );
  return own.flatMap((name) => {
    if (!names.includes(name)) return [`${name} of the data folder is not in the backup`];
    if (readFileSync(join(dataDir, name)).equals(readFileSync(join(restored, name)))) return [];
    return [`${name} of the data folder is another than that of the backup`];
  });
}
