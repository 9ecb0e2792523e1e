/** What servers ask to have removed by itself. */
import { applyRetention, removeExpiredServers } from "../../operations/apply-retention.ts";
import { repeatMsMax } from "../../operations/repeats.ts";
import type { Assembly, Ground } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** How often the servers' own rules are applied. */
const upkeepMs = 5000;

/** Starts the loop that applies retention, removes expired servers, old idempotency keys and sign-ins; one node at a time. The returned function ends it. */
export function startUpkeep(
  { context, metrics, sessions }: Assembly,
  { nodes, log, tasks }: Pick<Ground, "nodes" | "log" | "tasks">,
): () => Promise<void> {
  return startBackgroundLoop(context.clock, {
    everyMs: upkeepMs,
    task: tasks.register("retention", { degrades: "messages and servers outlive their retention rules" }),
    round: async () => {
      if (nodes !== null && !(await nodes.hold("upkeep", upkeepMs * 3))) return;
      const removed = await removeExpiredServers(context);
      const retired = await applyRetention(context);
      await context.store.repeatables.forgetRepeatables(context.clock.now() - repeatMsMax);
      await sessions.forgetEnded();
      metrics.messagesRetired(retired);
      if (removed > 0 || retired > 0) log.debug({ removed, retired }, "removed expired servers and retired messages");
    },
  });
}
