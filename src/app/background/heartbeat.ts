/** Nodes say that they live, and one of them looks after what those who do not have left in hand. */
import type { Clock } from "../../core/clock.ts";
import type { NodeStore } from "../../store/node-store.ts";
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import { startBackgroundLoop } from "./background-loop.ts";
import type { Log } from "../log.ts";

/** What a node's life needs. */
export interface NodeSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: BackgroundTasks;
  /** Says that the outbox has something to do. */
  readonly wakeOutbox: () => void;
}

const beatMs = 2000;
/** A node that has been silent for so long counts as dead. */
export const silenceMsMax = 8000;

/**
 * Says every two seconds that this node lives. The one that watches ends the leases of dead ones, so that what these were
 * handing on is tried again within half a minute instead of when the lease ends. It does so only after it has watched for
 * as long as a node may be silent: after an outage of the store, in which nobody could say anything, all have spoken by
 * then. Resolves once this node has; the answer ends it.
 */
export async function startHeartbeat(
  nodes: NodeStore | null,
  { clock, log, tasks, wakeOutbox }: NodeSurroundings,
): Promise<() => Promise<void>> {
  if (nodes === null) return () => Promise.resolve();
  let watchesSince: number | null = null;
  const watch = async (): Promise<void> => {
    await nodes.stayAlive(silenceMsMax);
    const isWatching = await nodes.hold("watch", silenceMsMax);
    watchesSince = isWatching ? (watchesSince ?? clock.monotonicMs()) : null;
    if (watchesSince === null || clock.monotonicMs() - watchesSince < silenceMsMax) return;
    const count = await nodes.endLeasesOfDead(clock.now());
    if (count === 0) return;
    log.warn({ count }, "a node has died; what it was handing on is tried again");
    wakeOutbox();
  };
  await nodes.stayAlive(silenceMsMax);
  return startBackgroundLoop(clock, {
    everyMs: beatMs,
    // Others count this node as dead after some seconds of silence.
    retryMsMax: beatMs,
    task: tasks.register("heartbeat"),
    round: async () => {
      try {
        await watch();
      } catch (error) {
        watchesSince = null;
        throw error;
      }
    },
  });
}
