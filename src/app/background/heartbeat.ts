/** Heartbeat of a node, and release of the leases of nodes whose heartbeat has expired. */
import type { Clock } from "../../core/clock.ts";
import type { NodeStore } from "../../store/node-store.ts";
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import type { Log } from "../log/log.ts";

/** Dependencies of {@link startHeartbeat}. */
export interface HeartbeatDependencies {
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
