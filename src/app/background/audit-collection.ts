/** Moves the audit entries that commands leave in the data folder into the audit log, and reports backups among them. */
import type { AuditEntry } from "../../core/audit-entry.ts";
import type { BackgroundTask, BackgroundTasks } from "../../core/background-tasks.ts";
import type { Context } from "../../operations/context.ts";
import { takeLeftEntries } from "../log/audit-file.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import type { Log } from "../log/log.ts";

/** Dependencies of {@link startAuditCollection}. */
export interface AuditCollection {
  readonly context: Pick<Context, "audit" | "clock">;
  readonly dataDir: string;
  readonly log: Log;
  readonly tasks: BackgroundTasks;
}

const collectMs = 5000;

/**
 * Collects entries at once and then every five seconds. Backups, which run as a command, are reported as the background
 * task `backup`. The returned function stops the loop.
 */
export async function startAuditCollection(collection: AuditCollection): Promise<() => Promise<void>> {
  const task = collection.tasks.register("audit_commands");
  const backup = collection.tasks.register("backup");
  try {
    await collect(collection, backup);
    task.succeeded();
  } catch (error) {
    task.failed(error, collectMs);
  }
  const stop = startBackgroundLoop(collection.context.clock, {
    everyMs: collectMs,
    task,
    round: async () => collect(collection, backup),
  });
  return async () => {
    await stop();
    backup.end();
  };
}

async function collect({ context, dataDir, log }: AuditCollection, backup: BackgroundTask): Promise<void> {
  const left = takeLeftEntries(dataDir);
  if (left === undefined) return;
  if (left.damagedCount > 0) log.warn({ count: left.damagedCount }, "damaged lines of audit-commands.jsonl ignored");
  await context.audit.adopt(left.entries);
  left.forget();
  for (const entry of left.entries) if (entry.action === "store.backup") reportBackup(backup, entry);
}

function reportBackup(backup: BackgroundTask, { details }: AuditEntry): void {
  if (details["failed"] === true) backup.failed(new Error(String(details["reason"])));
  else backup.succeeded();
}
