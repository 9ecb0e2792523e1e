/** How commands tell the audit log what they did. */
import { commandEntry, leaveForService } from "../app/audit-file.ts";
import type { Config } from "../app/settings/config.ts";
import type { AuditAction, AuditedAct } from "../core/audit-entry.ts";
import type { AuditStore } from "../store/audit-store.ts";
import type { Terminal } from "./command.ts";

/** Where the service of a command keeps its audit log. */
export interface AuditPlace {
  readonly config: Pick<Config, "dataDir" | "databaseUrl">;
  readonly terminal: Pick<Terminal, "clock" | "error">;
  /** The shared store, where the command has one open. */
  readonly store?: { readonly audit?: AuditStore };
}

/**
 * Records what a command did: in the shared database, or in the data folder, from where the service takes it. A failure is
 * told and does not fail the command, whose work is done.
 */
export async function recordCommand(
  { config, terminal, store }: AuditPlace,
  action: AuditAction,
  members: Partial<Omit<AuditedAct, "action">> = {},
): Promise<void> {
  const act: AuditedAct = { action, target: null, server: null, details: {}, ...members };
  const now = terminal.clock.now();
  try {
    if (config.databaseUrl === null) leaveForService(config.dataDir, now, act);
    else await store?.audit?.appendAudit([commandEntry(now, act)]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.error(`The audit log has no entry of this command: ${reason}\n`);
  }
}
