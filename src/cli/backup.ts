import { resolve } from "node:path";
import { backupFolder } from "../store/sqlite/backup.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";
import { recordCommand } from "./record-command.ts";

/** Files of a data folder that a backup holds beside the database, with paths relative to it. */
export const backedUpFiles: readonly string[] = [
  "api-key",
  "secret-key",
  "tls/ca-key.pem",
  "tls/ca.pem",
  "tls/server.pem",
];

/** `restante backup FILE`: reads the database beside the service, if one runs. */
export const backup: Action = async (call) => {
  const config = configOf(call);
  if (config.databaseUrl !== null) {
    throw new Error(
      "restante backup copies the database of a data folder; a service on PostgreSQL is backed up with the tools of PostgreSQL: pg_dump for a copy, pg_basebackup with archived write-ahead log for every moment",
    );
  }
  const file = resolve(call.operands[0] ?? "");
  backupFolder(config.dataDir, file, backedUpFiles);
  call.terminal.out(`${file}\n`);
  await recordCommand({ config, terminal: call.terminal }, "store.backup");
  return exitCodes.done;
};
