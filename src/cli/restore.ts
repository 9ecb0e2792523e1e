import { resolve } from "node:path";
import { readRunningService } from "../app/service-file.ts";
import { restoreFolder } from "../store/sqlite/backup/restore.ts";
import { backedUpFiles } from "./backup.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";
import { recordCommand } from "./record-command.ts";

/** `restante restore FILE`: makes a data folder from what `restante backup` wrote. */
export const restore: Action = async (call) => {
  const config = configOf(call);
  const { dataDir, databaseUrl } = config;
  if (databaseUrl !== null) {
    throw new Error("restante restore makes a data folder; a service on PostgreSQL is restored with pg_restore");
  }
  if (readRunningService(dataDir) !== undefined) {
    throw new Error(`A service runs in ${dataDir}: stop it and move its folder away, or name another with --data-dir`);
  }
  const restored = restoreFolder(resolve(call.operands[0] ?? ""), dataDir, backedUpFiles);
  call.terminal.out(`${[dataDir, ...restored.map((name) => `  ${name}`)].join("\n")}\n`);
  if (!restored.includes("secret-key")) call.terminal.error(keyNote);
  await recordCommand({ config, terminal: call.terminal }, "store.restore");
  return exitCodes.done;
};

const keyNote =
  "The backup holds no secret-key: start the service with the RESTANTE_SECRET_KEY of the one that was backed up, or API keys, SMTP passwords of servers and secrets of devices and phone numbers cannot be opened.\n";
