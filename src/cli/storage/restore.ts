import { resolve } from "node:path";
import { readRunningService } from "../../app/service-file.ts";
import { restoreFolder } from "../../store/sqlite/backup/restore.ts";
import { backedUpFiles } from "./backup.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";
import { recordCommand } from "../record-command.ts";

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
