/** Moves the audit entries that commands leave in the data folder into the audit log, and reports backups and drills among them. */
import type { AuditAction, AuditEntry } from "../../core/audit-entry.ts";
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

/** Background tasks that run as commands, by their action. */
type CommandTasks = ReadonlyMap<AuditAction, BackgroundTask>;

/**
 * Collects entries at once and then every five seconds. Backups and drills, which run as commands, are reported as the
 * background tasks `backup` and `restore_drill`. The returned function stops the loop.
 */
export async function startAuditCollection(collection: AuditCollection): Promise<() => Promise<void>> {
  const task = collection.tasks.register("audit_commands");
  const commands: CommandTasks = new Map([
    ["store.backup", collection.tasks.register("backup")],
    ["store.drill", collection.tasks.register("restore_drill")],
  ]);
  try {
    await collect(collection, commands);
    task.succeeded();
  } catch (error) {
    task.failed(error, collectMs);
  }
  const stop = startBackgroundLoop(collection.context.clock, {
    everyMs: collectMs,
    task,
    round: async () => collect(collection, commands),
  });
  return async () => {
    await stop();
    for (const own of commands.values()) own.end();
  };
}

async function collect({ context, dataDir, log }: AuditCollection, commands: CommandTasks): Promise<void> {
  const left = takeLeftEntries(dataDir);
  if (left === undefined) return;
  if (left.damagedCount > 0) log.warn({ count: left.damagedCount }, "damaged lines of audit-commands.jsonl ignored");
  await context.audit.adopt(left.entries);
  left.forget();
  for (const entry of left.entries) report(commands.get(entry.action), entry);
}

function report(task: BackgroundTask | undefined, { details }: AuditEntry): void {
  if (details["failed"] === true) task?.failed(new Error(String(details["reason"])));
  else task?.succeeded();
}
