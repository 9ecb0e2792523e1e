import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readRunningService } from "../../app/service-file.ts";
import { backupFolder } from "../../store/sqlite/backup/backup.ts";
import { recoverFolder, type Recovery } from "../../store/sqlite/backup/recover.ts";
import { checkFolder } from "../../store/sqlite/backup/repair.ts";
import { restoreFolder } from "../../store/sqlite/backup/restore.ts";
import { type Action, configOf, exitCodes, type Terminal } from "../command.ts";
import { plainMessage } from "../plain-message.ts";
import { recordCommand } from "../record-command.ts";
import { repair } from "./check.ts";

/** Files of a data folder that a backup contains besides the database; paths are relative to the folder. */
export const backedUpFiles: readonly string[] = [
  "api-key",
  "secret-key",
  "tls/ca-key.pem",
  "tls/ca.pem",
  "tls/server.pem",
];

/** Runs `restante backup FILE`: copies the data folder while its service runs, if it does, and reports the result to it. */
export const backup: Action = async (call) => {
  const config = configOf(call);
  if (config.databaseUrl !== null) {
    throw new Error(
      "restante backup copies data folders only; back up PostgreSQL with its own tools: pg_dump for a copy, pg_basebackup with archived write-ahead log for point-in-time recovery",
    );
  }
  const file = resolve(call.operands[0] ?? "");
  const place = { config, terminal: call.terminal };
  try {
    backupFolder(config.dataDir, file, backedUpFiles);
  } catch (error) {
    const reason = error instanceof Error ? plainMessage(error) : String(error);
    if (existsSync(config.dataDir)) await recordCommand(place, "store.backup", { details: { failed: true, reason } });
    throw error;
  }
  call.terminal.out(`${file}\n`);
  await recordCommand(place, "store.backup");
  return exitCodes.done;
};

/** Runs `restante restore FILE`: creates a data folder from a backup. */
export const restore: Action = async (call) => {
  const config = configOf(call);
  const { dataDir, databaseUrl } = config;
  if (databaseUrl !== null) {
    throw new Error("restante restore creates data folders only; restore PostgreSQL with pg_restore");
  }
  if (readRunningService(dataDir) !== undefined) {
    throw new Error(`A service is running in ${dataDir}: stop it and move its folder away, or set --data-dir`);
  }
  const restored = restoreFolder(resolve(call.operands[0] ?? ""), dataDir, {
    names: backedUpFiles,
    now: call.terminal.clock.now(),
  });
  call.terminal.out(`${[dataDir, ...restored.map((name) => `  ${name}`)].join("\n")}\n`);
  if (!restored.includes("secret-key")) call.terminal.error(keyNote);
  await recordCommand({ config, terminal: call.terminal }, "store.restore");
  return exitCodes.done;
};

const keyNote =
  "The backup contains no secret-key: start the service with the RESTANTE_SECRET_KEY of the original service, or API keys, SMTP passwords of servers and secrets of devices and phone numbers are invalid.\n";

/** Runs `restante recover FOLDER`: copies what can be read from a damaged data folder to a new one, and repairs that. */
export const recover: Action = async (call) => {
  const config = configOf(call);
  if (config.databaseUrl !== null) {
    throw new Error("restante recover works on data folders only; restore a PostgreSQL database from its backup");
  }
  const { terminal } = call;
  const recovery = recoverFolder(resolve(call.operands[0] ?? ""), resolve(config.dataDir), {
    names: backedUpFiles,
    now: terminal.clock.now(),
  });
  tell(terminal, recovery);
  const repaired = await repair(
    terminal,
    config,
    checkFolder(config.dataDir, () => undefined),
  );
  const isWhole = recovery.missing.size === 0 && recovery.tables.every(({ gapCount }) => gapCount === 0);
  return isWhole ? repaired : exitCodes.failed;
};

function tell(terminal: Terminal, { tables, missing, mailCount }: Recovery): void {
  for (const { table, rowCount, gapCount } of tables) {
    if (gapCount > 0) terminal.out(`table ${table}: ${rowCount} rows copied around ${gapCount} damaged places\n`);
  }
  for (const [server, count] of missing) terminal.out(`server ${server}: ${count} messages are missing\n`);
  if (mailCount > 0) terminal.out(`${mailCount} raw mails without a message were written to the folder damaged\n`);
  const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0);
  terminal.out(`${rowCount} rows copied\n`);
}
