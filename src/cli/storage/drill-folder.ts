/** Drill of a data folder. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupFolder } from "../../store/sqlite/backup/backup.ts";
import { databaseFileName } from "../../store/sqlite/connection/store-directory.ts";
import { compareCopies } from "../../store/sqlite/backup/compare.ts";
import { checkFolder } from "../../store/sqlite/backup/repair.ts";
import { restoreFolder } from "../../store/sqlite/backup/restore.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { backedUpFiles } from "./backup.ts";
import {
  type DrillOptions,
  type DrillReport,
  freeBytesOfDisk,
  requireSpace,
  runSteps,
  secretNotes,
} from "./drill-steps.ts";
import { megabytes } from "./progress-bar.ts";

/** Parameters of {@link drillFolder}. */
export interface FolderDrill extends DrillOptions {
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
