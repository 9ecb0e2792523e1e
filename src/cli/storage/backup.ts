import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { backupFolder } from "../../store/sqlite/backup/backup.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";
import { plainMessage } from "../plain-message.ts";
import { recordCommand } from "../record-command.ts";

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
