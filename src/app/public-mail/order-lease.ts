/** Lease of the node that orders certificates. */
import type { Clock } from "../../core/clock.ts";
import type { NodeStore } from "../../store/node-store.ts";

/** First pause after a failed order, of all nodes together: authorities limit failed validations to five in an hour. */
export const orderRetryMs: number = 15 * 60_000;
/** Time after which another node orders when the one that does has died; it is renewed three times in this time. */
const leaseMs = 30_000;
const task = "acme";

/** Dependencies of {@link onOneNode}. */
export interface OrderLeaseDependencies {
  readonly clock: Pick<Clock, "after">;
  /** Aborted when this node stops. */
  readonly signal: AbortSignal;
}

/**
 * Runs an action unless another node does. After a failure no other node runs it for {@link orderRetryMs}, unless this one stops.
 * Without nodes, runs the action.
 */
export async function onOneNode(
  nodes: Pick<NodeStore, "hold" | "release"> | null,
  { clock, signal }: OrderLeaseDependencies,
  action: () => Promise<void>,
): Promise<void> {
  if (nodes === null) return action();
  if (!(await nodes.hold(task, leaseMs))) return;
  let cancel = (): void => undefined;
  const renewLater = (): void => {
    cancel = clock.after(leaseMs / 3, () => {
      renewLater();
      // A lease that is lost while the database is away lets two nodes order, which does no harm.
      nodes.hold(task, leaseMs).catch(() => undefined);
    });
  };
  renewLater();
  try {
    await action();
    cancel();
    await nodes.release(task);
  } catch (error) {
    cancel();
    if (signal.aborted) await nodes.release(task);
    else await nodes.hold(task, orderRetryMs);
    throw error;
  }
}
