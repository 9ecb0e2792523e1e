import { resolve } from "node:path";
import { backupDatabase } from "../store/sqlite/backup.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";

/** `restante backup FILE`: reads the database beside the service, if one runs. */
export const backup: Action = (call) => {
  const config = configOf(call);
  if (config.databaseUrl !== null) {
    throw new Error(
      "restante backup copies the database of a data folder; a service on PostgreSQL is backed up with the tools of PostgreSQL: pg_dump for a copy, pg_basebackup with archived write-ahead log for every moment",
    );
  }
  const file = resolve(call.operands[0] ?? "");
  backupDatabase(config.dataDir, file);
  call.terminal.out(`${file}\n`);
  return Promise.resolve(exitCodes.done);
};
