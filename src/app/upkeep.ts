/** What servers ask to have removed by itself. */
import { applyRetention, removeExpiredServers } from "../operations/apply-retention.ts";
import { repeatMsMax } from "../operations/repeats.ts";
import type { NodeStore } from "../store/node-store.ts";
import type { Assembly } from "./assemble.ts";
import { startChore } from "./background.ts";
import type { Log } from "./log.ts";

/** How often the servers' own rules are applied. */
const upkeepMs = 5000;

/** Applies retention, ends servers, forgets old requests and ended sign-ins; of several nodes one does. The answer ends it. */
export function startUpkeep(
  { context, metrics, sessions }: Assembly,
  { nodes, log }: { readonly nodes: NodeStore | null; readonly log: Log },
): () => Promise<void> {
  return startChore(context.clock, {
    everyMs: upkeepMs,
    action: async () => {
      if (nodes !== null && !(await nodes.hold("upkeep", upkeepMs * 3))) return;
      const removed = await removeExpiredServers(context);
      const retired = await applyRetention(context);
      await context.store.repeatables.forgetRepeatables(context.clock.now() - repeatMsMax);
      await sessions.forgetEnded();
      metrics.messagesRetired(retired);
      if (removed > 0 || retired > 0) log.debug({ removed, retired }, "removed expired servers and retired messages");
    },
    onFault: (error) => {
      log.error({ err: error }, "the servers' own rules could not be applied");
    },
  });
}
