/** Audit entries of commands. */
import { commandEntry, leaveForService } from "../app/log/audit-file.ts";
import type { Config } from "../app/settings/config.ts";
import type { AuditAction, AuditedAction } from "../core/audit-entry.ts";
import type { AuditStore } from "../store/account-store.ts";
import type { Terminal } from "./command.ts";

/** Location of the audit log of a command's service. */
export interface AuditPlace {
  readonly config: Pick<Config, "dataDir" | "databaseUrl">;
  readonly terminal: Pick<Terminal, "clock" | "error">;
  /** PostgreSQL store, if the command has one open. */
  readonly store?: { readonly audit?: AuditStore };
}

/**
 * Records an action of a command: in PostgreSQL, or in the data folder, where the service collects it. A failure is printed
 * and does not fail the command, whose work is done.
 */
export async function recordCommand(
  { config, terminal, store }: AuditPlace,
  action: AuditAction,
  members: Partial<Omit<AuditedAction, "action">> = {},
): Promise<void> {
  const act: AuditedAction = { action, target: null, server: null, details: {}, ...members };
  const now = terminal.clock.now();
  try {
    if (config.databaseUrl === null) leaveForService(config.dataDir, now, act);
    else await store?.audit?.appendAudit([commandEntry(now, act)]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.error(`The command could not be recorded in the audit log: ${reason}\n`);
  }
}
