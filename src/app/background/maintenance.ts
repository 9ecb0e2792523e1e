/** What servers ask to have removed by itself. */
import { applyRetention, removeExpiredServers } from "../../operations/apply-retention.ts";
import { repeatMsMax } from "../../operations/repeats.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** How often the servers' own rules are applied. */
const maintenanceMs = 5000;

/** Starts the loop that applies retention, removes expired servers, old idempotency keys and sign-ins; one node at a time. The returned function ends it. */
export function startMaintenance(
  { context, metrics, sessions }: Assembly,
  { nodes, log, tasks }: Pick<BaseDependencies, "nodes" | "log" | "tasks">,
): () => Promise<void> {
  return startBackgroundLoop(context.clock, {
    everyMs: maintenanceMs,
    task: tasks.register("retention", { degrades: "messages and servers outlive their retention rules" }),
    round: async () => {
      if (nodes !== null && !(await nodes.hold("upkeep", maintenanceMs * 3))) return;
      const removed = await removeExpiredServers(context);
      const retired = await applyRetention(context);
      await context.store.repeatables.forgetRepeatables(context.clock.now() - repeatMsMax);
      await sessions.forgetEnded();
      metrics.messagesExpired(retired);
      if (removed > 0 || retired > 0) log.debug({ removed, retired }, "removed expired servers and retired messages");
    },
  });
}
