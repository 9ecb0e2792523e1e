import { resolve } from "node:path";
import { backupDatabase } from "../store/sqlite/backup.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";

/** `restante backup FILE`: reads the database beside the service, if one runs. */
export const backup: Action = (call) => {
  const file = resolve(call.operands[0] ?? "");
  backupDatabase(configOf(call).dataDir, file);
  call.terminal.out(`${file}\n`);
  return Promise.resolve(exitCodes.done);
};
