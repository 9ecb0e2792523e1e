import type { Clock } from "../core/clock.ts";
import type { Lease } from "../store/leased-queue.ts";
import type { Lane, QueueDefinition } from "./queue-definition.ts";

/** Claims at most ten pieces of due work of each key, attempts them and records the outcomes; returns the outcomes. */
export async function runOnce<
  Item extends { readonly id: string },
  Outcome extends Lease,
  Recorded,
  Own extends Lane<Item>,
>(
  { queue, keyOf = () => "", openLane, attempt }: QueueDefinition<Item, Outcome, Recorded, Own>,
  clock: Pick<Clock, "now">,
  failed: (error: unknown) => void = () => undefined,
): Promise<readonly Outcome[]> {
  const now = clock.now();
  const keys = (await queue.listDueKeys(now, 100)).map((key) => ({ key, limit: 10 }));
  const leaseEndsAt = now + 60_000;
  const claimed = await queue.claim({ now, leaseEndsAt, lease: "once", keys });
  const ended = await Promise.all(
    claimed.map((item) => attempt({ item, lease: "once", leaseEndsAt }, openLane(keyOf(item)), { failed })),
  );
  const outcomes = ended.flatMap((one) => one.outcomes).filter((outcome) => outcome !== null);
  await queue.record(outcomes);
  return outcomes;
}
