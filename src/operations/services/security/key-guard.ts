/** Restrictions of keys that are checked on each request: client addresses and rate limit. */
import type { ApiKey } from "../../../core/api-key.ts";
import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { inNetworks } from "../../../core/ip-address.ts";
import type { Store } from "../../../store/store.ts";

/** Checks and records the use of keys. */
export interface KeyGuard {
  /** Returns whether the key may be used from an address. */
  allowsAddress(key: ApiKey, clientAddress: string): boolean;
  /**
   * Counts one request and records the use of its key, at most once a minute and without waiting for the store. Throws
   * `too_many_requests` with the seconds to wait past the key's rate limit.
   */
  admit(key: ApiKey): void;
}

/** Dependencies of a {@link KeyGuard}. */
export interface KeyGuardDependencies {
  readonly store: Pick<Store, "noteKeyUse">;
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
}

const windowMs = 60_000;
/** Interval in milliseconds at which the use of a key is written. */
const noteMs = 60_000;
/** Maximum number of tracked keys; the oldest is evicted first. */
const keyCountMax = 10_000;

interface KeyUse {
  windowStartedAt: number;
  count: number;
  notedAt: number | null;
}

/** Creates a guard. Rates are counted per process, in windows of one minute. */
export function createKeyGuard({ store, clock, tasks }: KeyGuardDependencies): KeyGuard {
  const uses = new Map<string, KeyUse>();
  const tests = new WeakMap<readonly string[], (address: string) => boolean>();
  const task = tasks.register("key-use", {});
  const useOf = (id: string): KeyUse => {
    const known = uses.get(id);
    if (known !== undefined) return known;
    if (uses.size >= keyCountMax) uses.delete(uses.keys().next().value ?? "");
    const use = { windowStartedAt: clock.monotonicMs(), count: 0, notedAt: null };
    uses.set(id, use);
    return use;
  };
  const note = async (id: string): Promise<void> => {
    try {
      await store.noteKeyUse(id, clock.now());
      task.succeeded();
    } catch (error) {
      task.failed(error, noteMs);
    }
  };
  return {
    allowsAddress: ({ networks }, clientAddress) => {
      if (networks.length === 0) return true;
      const test = tests.get(networks) ?? inNetworks(networks);
      tests.set(networks, test);
      return test(clientAddress);
    },
    admit: ({ id, requestsPerMinute }) => {
      const use = useOf(id);
      const now = clock.monotonicMs();
      if (now - use.windowStartedAt >= windowMs) {
        use.windowStartedAt = now;
        use.count = 0;
      }
      if (requestsPerMinute !== null && use.count >= requestsPerMinute) {
        throw new Problem("too_many_requests", {
          text: "This key's limit of requests per minute is reached; wait and try again",
          retryAfterSeconds: Math.max(1, Math.ceil((use.windowStartedAt + windowMs - now) / 1000)),
        });
      }
      use.count += 1;
      if (use.notedAt !== null && now - use.notedAt < noteMs) return;
      use.notedAt = now;
      void note(id);
    },
  };
}
