/** Leases of nodes in memory, by the clock of the test. */
import type { Clock } from "../core/clock.ts";
import type { NodeStore } from "../store/node-store.ts";

/** Leases that nodes share. */
export interface TestLeases {
  /** Returns the leases as a node acquires them. */
  readonly node: (id: string) => Pick<NodeStore, "hold" | "release">;
  /** Lets a node acquire, renew and release nothing any more. */
  readonly kill: (id: string) => void;
  /** Whether calls are rejected. */
  isAway: boolean;
}

/** Creates leases that nobody holds. */
export function leasesOf(clock: Pick<Clock, "monotonicMs">): TestLeases {
  const held = new Map<string, { readonly holder: string; readonly endsAt: number }>();
  const dead = new Set<string>();
  const leases: TestLeases = {
    isAway: false,
    kill: (id) => void dead.add(id),
    node: (id) => ({
      hold: async (task, forMs) => {
        if (leases.isAway) throw new Error("the database is away");
        const { holder = id, endsAt = 0 } = held.get(task) ?? {};
        if (dead.has(id) || (holder !== id && endsAt > clock.monotonicMs())) return false;
        held.set(task, { holder: id, endsAt: clock.monotonicMs() + forMs });
        return true;
      },
      release: async (task) => {
        if (!dead.has(id) && held.get(task)?.holder === id) held.delete(task);
      },
    }),
  };
  return leases;
}
