/**
 * Retention of messages, servers and deliveries, removal of expired idempotency keys, objects of providers and sessions, refresh
 * of sessions at OpenID providers, the watch of file descriptors, and heartbeats.
 */
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { Context } from "../../operations/context.ts";
import { removeEndedSubscriptions } from "../../operations/callbacks/mailbox-targets.ts";
import { compactUsage } from "../../operations/account/account.ts";
import { refreshIssuerSessions } from "../../operations/people/issuer-sessions.ts";
import { applyRetention, removeExpiredServers, removeIdleServers } from "../../operations/servers/retention-rules.ts";
import { repeatMsMax } from "../../operations/services/sending/idempotency.ts";
import type { NodeStore } from "../../store/node-store.ts";
import type { Assembly, BaseDependencies } from "../assemble.ts";
import type { Log } from "../log/log.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import { startDescriptorWatch } from "./descriptor-watch.ts";

/** Pause between two rounds. */
const maintenanceMs = 5000;
/** Expired objects of providers that one round removes. */
const expiredCountMax = 1000;
/** Age at which finished deliveries of callbacks are removed, and the number that one round removes. */
const deliveryMsMax = 7 * 24 * 60 * 60_000;
const deliveryCountMax = 1000;
/** Pause between two removals of ended subscriptions, for which all servers with targets are read, and merges of old usage. */
const endedMs = 10 * 60_000;

/**
 * Starts the loop that applies retention rules and removes expired servers, subscriptions, deliveries, idempotency keys, objects of
 * providers and sessions, one node at a time, the rule for idle servers, and the watch of file descriptors. The returned function
 * stops them.
 */
export function startMaintenance(
  { context, metrics, sessions }: Assembly,
  { nodes, log, tasks }: Pick<BaseDependencies, "nodes" | "log" | "tasks">,
): () => Promise<void> {
  const { clock } = context;
  let endedRemovedAt = -Infinity;
  const stopWatch = startDescriptorWatch(context.clock, tasks);
  const stopIdleRule = startIdleServerRule({ context, metrics }, { nodes, log, tasks });
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
      if (clock.monotonicMs() - endedRemovedAt >= endedMs) {
        endedRemovedAt = clock.monotonicMs();
        await removeEndedSubscriptions(context);
        await compactUsage(context);
      }
      await sessions.forgetEnded();
      metrics.messagesExpired(expired);
      if (removed > 0 || expired > 0 || objects > 0) {
        log.debug({ servers: removed, messages: expired, objects }, "removed expired servers, messages and objects");
      }
    },
  });
  return async () => {
    await Promise.all([stop(), stopWatch(), stopIdleRule()]);
  };
}

/** Pause between two rounds of the rule for idle servers. */
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

/** Pause between two refreshes of sessions, in milliseconds. */
const issuerMs = 60_000;

/**
 * Starts the loop that refreshes the sessions that are due, and asks for the metadata of issuers that did not answer; nothing without
 * issuers. The returned function stops it.
 */
export function startIssuerLoop(context: Context, tasks: BackgroundTasks): () => Promise<void> {
  const { all } = context.issuers;
  if (all.length === 0) return async () => undefined;
  return startBackgroundLoop(context.clock, {
    everyMs: issuerMs,
    task: tasks.register("oidc_sessions", { degrades: "sessions outlive those at their OpenID provider" }),
    round: async () => {
      await Promise.all(all.map((issuer) => issuer.recover()));
      await refreshIssuerSessions(context);
    },
  });
}

// Heartbeat of a node, and release of the leases of nodes whose heartbeat has expired.

/** Dependencies of {@link startHeartbeat}. */
interface HeartbeatDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: BackgroundTasks;
  /** Wakes the workers of the outbox and of callbacks. */
  readonly wakeWorkers: () => void;
}

const heartbeatMs = 2000;
/** Milliseconds without a heartbeat after which a node counts as dead. */
export const silenceMsMax = 8000;

/**
 * Records a heartbeat every two seconds. The node that holds the lease `watch` releases the leases of dead nodes on outbox
 * entries, callbacks, scheduled mails and scans, so that they are retried within half a minute instead of at the end of the lease. It starts
 * to do so after holding `watch` for {@link silenceMsMax}: after an outage of the store, all live nodes have recorded a
 * heartbeat by then. Resolves after the first heartbeat; the returned function stops the loop.
 */
export async function startHeartbeat(
  nodes: NodeStore | null,
  { clock, log, tasks, wakeWorkers }: HeartbeatDependencies,
): Promise<() => Promise<void>> {
  if (nodes === null) return () => Promise.resolve();
  let watchingSince: number | null = null;
  const watch = async (): Promise<void> => {
    await nodes.sendHeartbeat(silenceMsMax);
    const isWatching = await nodes.hold("watch", silenceMsMax);
    watchingSince = isWatching ? (watchingSince ?? clock.monotonicMs()) : null;
    if (watchingSince === null || clock.monotonicMs() - watchingSince < silenceMsMax) return;
    const count = await nodes.releaseLeasesOfDeadNodes(clock.now());
    if (count === 0) return;
    log.warn({ count }, "released leases of dead nodes on outbox entries, callbacks, scheduled mails and scans");
    wakeWorkers();
  };
  await nodes.sendHeartbeat(silenceMsMax);
  return startBackgroundLoop(clock, {
    everyMs: heartbeatMs,
    // No backoff: other nodes count this one as dead after silenceMsMax.
    retryMsMax: heartbeatMs,
    task: tasks.register("heartbeat"),
    round: async () => {
      try {
        await watch();
      } catch (error) {
        watchingSince = null;
        throw error;
      }
    },
  });
}
