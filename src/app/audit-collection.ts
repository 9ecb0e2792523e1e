/** Moves what commands did to the data folder into the audit log. */
import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Context } from "../operations/context.ts";
import { takeLeftEntries } from "./audit-file.ts";
import { startBackgroundLoop } from "./background.ts";
import type { Log } from "./log.ts";

/** Options for {@link startAuditCollection}. */
export interface AuditCollection {
  readonly context: Pick<Context, "audit" | "clock">;
  readonly dataDir: string;
  readonly log: Log;
  readonly tasks: BackgroundTasks;
}

const collectMs = 5000;

/** Looks for entries of commands at once and every five seconds; the returned function ends that. */
export async function startAuditCollection(collection: AuditCollection): Promise<() => Promise<void>> {
  const task = collection.tasks.register("audit_commands");
  try {
    await collect(collection);
    task.succeeded();
  } catch (error) {
    task.failed(error, collectMs);
  }
  return startBackgroundLoop(collection.context.clock, {
    everyMs: collectMs,
    task,
    round: async () => collect(collection),
  });
}

async function collect({ context, dataDir, log }: AuditCollection): Promise<void> {
  const left = takeLeftEntries(dataDir);
  if (left === undefined) return;
  if (left.damagedCount > 0) log.warn({ count: left.damagedCount }, "damaged lines of audit-commands.jsonl ignored");
  await context.audit.adopt(left.entries);
  left.forget();
}
