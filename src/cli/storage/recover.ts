import { resolve } from "node:path";
import { recoverFolder, type Recovery } from "../../store/sqlite/backup/recover.ts";
import { checkFolder } from "../../store/sqlite/backup/repair.ts";
import { exitCodes, type Action, type Terminal } from "../command.ts";
import { configOf } from "../config-of.ts";
import { backedUpFiles } from "./backup.ts";
import { repair } from "./check.ts";

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
