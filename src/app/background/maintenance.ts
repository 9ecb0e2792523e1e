/**
 * Retention of messages, servers and deliveries, removal of expired idempotency keys, objects of providers and sessions, and
 * the watch of file descriptors.
 */
import { applyRetention, removeExpiredServers } from "../../operations/servers/apply-retention.ts";
import { repeatMsMax } from "../../operations/services/sending/idempotency.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import { startDescriptorWatch } from "./descriptor-watch.ts";

/** Pause between two rounds. */
const maintenanceMs = 5000;
/** Expired objects of providers that one round removes. */
const expiredCountMax = 1000;
/** Age at which finished deliveries of callbacks are removed, and the number that one round removes. */
const deliveryMsMax = 7 * 24 * 60 * 60_000;
const deliveryCountMax = 1000;

/**
 * Starts the loop that applies retention rules and removes expired servers, deliveries, idempotency keys, objects of
 * providers and sessions, one node at a time, and the watch of file descriptors. The returned function stops both.
 */
export function startMaintenance(
  { context, metrics, sessions }: Assembly,
  { nodes, log, tasks }: Pick<BaseDependencies, "nodes" | "log" | "tasks">,
): () => Promise<void> {
  const stopWatch = startDescriptorWatch(context.clock, tasks);
  const stop = startBackgroundLoop(context.clock, {
    everyMs: maintenanceMs,
    task: tasks.register("retention", { degrades: "messages and servers outlive their retention rules" }),
    round: async () => {
      if (nodes !== null && !(await nodes.hold("upkeep", maintenanceMs * 3))) return;
      const removed = await removeExpiredServers(context);
      const expired = await applyRetention(context);
      const objects = await context.store.providerObjects.removeExpiredObjects(context.clock.now(), expiredCountMax);
      await context.store.idempotency.deleteIdempotentRequests(context.clock.now() - repeatMsMax);
      await context.store.callbacks.removeDeliveries(context.clock.now() - deliveryMsMax, deliveryCountMax);
      await sessions.forgetEnded();
      metrics.messagesExpired(expired);
      if (removed > 0 || expired > 0 || objects > 0) {
        log.debug({ servers: removed, messages: expired, objects }, "removed expired servers, messages and objects");
      }
    },
  });
  return async () => {
    await Promise.all([stop(), stopWatch()]);
  };
}
