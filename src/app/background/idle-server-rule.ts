import { removeIdleServers } from "../../operations/servers/idle-servers.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";

/** Pause between two rounds. */
export const idleRuleMs = 10 * 60_000;

/**
 * Starts the loop that removes servers without traffic, one node at a time; none without `RESTANTE_IDLE_SERVER_DAYS`. The
 * returned function stops it.
 */
export function startIdleServerRule(
  { context, metrics }: Pick<Assembly, "context" | "metrics">,
  { nodes, log, tasks }: Pick<BaseDependencies, "nodes" | "log" | "tasks">,
): () => Promise<void> {
  const { idleServerDays: days } = context.settings;
  if (days === null) return () => Promise.resolve();
  return startBackgroundLoop(context.clock, {
    everyMs: idleRuleMs,
    task: tasks.register("idle_servers", { degrades: "servers without traffic stay" }),
    round: async () => {
      if (nodes !== null && !(await nodes.hold("idle_servers", idleRuleMs * 3))) return;
      await removeIdleServers(context, (server, idleDays) => {
        metrics.serverRemoved();
        log.info({ server, idleDays }, "removed a server without traffic");
      });
    },
  });
}
