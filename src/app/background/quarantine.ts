/** Background loop that quarantines work which ends the process or the worker, in all queues. */
import { leasedQueues } from "../../core/quarantine.ts";
import { reportQuarantinedScans } from "../../operations/scanner/quarantined-scans.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause between two queries, in milliseconds; claims leave such work out by themselves. */
const pollMs = 2000;

/**
 * Starts the loop; the returned function stops it. Each piece is logged once, when it is quarantined. The backlog of the task
 * `quarantine_<queue>` is the number of pieces that wait to be retried by hand.
 */
export function startQuarantine(
  { context: { clock, store } }: Pick<Assembly, "context">,
  { log, tasks }: Pick<BaseDependencies, "log" | "tasks">,
): () => Promise<void> {
  let counts: Awaited<ReturnType<typeof store.quarantine.countQuarantined>> | null = null;
  const perQueue = leasedQueues.map((queue) =>
    tasks.register(`quarantine_${queue}`, { backlog: () => counts?.[queue] ?? 0 }),
  );
  const stop = startBackgroundLoop(clock, {
    everyMs: pollMs,
    task: tasks.register("quarantine"),
    round: async () => {
      const found = await store.quarantine.quarantineDue(clock.now());
      for (const { queue, id, message, attempts } of found) {
        log.error({ queue, id, message, attempts }, "work quarantined: its attempts ended the process or worker");
      }
      await reportQuarantinedScans({ store }, found);
      counts = await store.quarantine.countQuarantined();
      for (const task of perQueue) task.succeeded();
    },
  });
  return async () => {
    await stop();
    for (const task of perQueue) task.end();
  };
}
