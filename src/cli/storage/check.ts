import type { Config } from "../../app/settings/config.ts";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { createEmailReading } from "../../operations/services/reading/email-reader.ts";
import { rebuildMessage } from "../../operations/services/reading/restore-message.ts";
import type { CheckReport, DamagedMessage } from "../../store/sqlite/backup/check.ts";
import { checkFolder, FolderRepair } from "../../store/sqlite/backup/repair.ts";
import { checkShared } from "./check-shared.ts";
import { type Action, type Call, exitCodes, type Terminal } from "../command.ts";
import { configOf } from "../config-of.ts";
import { recordCommand } from "../record-command.ts";

/** Exit codes of `restante check`: no damage, or all repaired; remaining damage; the check failed. */
const checkCodes = { intact: 0, damaged: 1, failed: 2 } as const;

/**
 * Runs `restante check`: verifies all stored data; with `--repair`, rebuilds damaged messages from their raw mail. With
 * `--language`, checks instead whether requests of a runtime arrive.
 */
export const check: Action = async (call) => {
  const language = call.flags.get("language");
  if (language !== undefined) {
    return (await import("../environment/check-language.ts")).checkLanguage(call, language);
  }
  try {
    const config = configOf(call);
    if (config.databaseUrl !== null) return await checkDatabaseOf(call, config);
    const report = checkFolder(config.dataDir, () => undefined);
    tell(call.terminal, report);
    if (report.messages.length === 0 && report.structure.length === 0) return exitCodes.done;
    return call.flags.has("repair") ? await repair(call.terminal, config, report) : checkCodes.damaged;
  } catch (error) {
    call.terminal.error(`restante: ${error instanceof Error ? error.message : String(error)}\n`);
    return checkCodes.failed;
  }
};

async function checkDatabaseOf({ flags, terminal }: Call, config: Config): Promise<number> {
  if (flags.has("repair")) {
    throw new Error("--repair works on data folders only; restore a PostgreSQL database from its backup");
  }
  const { messageCount, findings } = await checkShared(config);
  for (const finding of findings) terminal.out(`${finding}\n`);
  terminal.out(`${messageCount} messages checked, ${findings.length} problems found\n`);
  return findings.length === 0 ? checkCodes.intact : checkCodes.damaged;
}

function tell(terminal: Terminal, { messageCount, structure, messages }: CheckReport): void {
  for (const line of structure) terminal.out(`${line}\n`);
  for (const { id, problems } of messages) terminal.out(`message ${id}: ${problems.join("; ")}\n`);
  terminal.out(`${messageCount} messages checked, ${structure.length + messages.length} problems found\n`);
}

/** Rebuilds the damaged messages of the data folder in `config`, and reports what remains; resolves with the exit code. */
export async function repair(terminal: Terminal, config: Config, report: CheckReport): Promise<number> {
  {
    using folder = FolderRepair.open(config.dataDir);
    const reading = createEmailReading({ limits: config.limits, clock: terminal.clock, tasks: unobservedTasks });
    try {
      for (const damaged of report.messages) await repairOne(damaged, { folder, terminal, readEmail: reading.read });
    } finally {
      await reading.close();
    }
    folder.tidy();
  }
  await recordCommand({ config, terminal }, "store.repair", { details: { messages: report.messages.length } });
  const after = checkFolder(config.dataDir, () => undefined);
  terminal.out("After the repair:\n");
  tell(terminal, after);
  return after.messages.length + after.structure.length === 0 ? checkCodes.intact : checkCodes.damaged;
}

async function repairOne(
  damaged: DamagedMessage,
  tools: {
    readonly folder: FolderRepair;
    readonly terminal: Terminal;
    readonly readEmail: Parameters<typeof rebuildMessage>[2];
  },
): Promise<void> {
  const { folder, terminal, readEmail } = tools;
  const { id, intact, addresses } = damaged;
  const message = await rebuildMessage(id, { ...intact, recipients: addresses?.[1] ?? [] }, readEmail);
  if (message === undefined) {
    terminal.out(`message ${id}: cannot be repaired; its remains were moved to ${folder.setAside(damaged)}.*\n`);
    return;
  }
  folder.replace(damaged, message);
  terminal.out(`message ${id}: rebuilt from ${intact.detail === null ? "its raw mail" : "its detail and raw mail"}\n`);
}
