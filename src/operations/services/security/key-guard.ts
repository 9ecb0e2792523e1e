/** What a found key must still pass at each request: the addresses and the rate that its owner allows. */
import type { ApiKey } from "../../../core/api-key.ts";
import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { inNetworks } from "../../../core/networks.ts";
import type { Store } from "../../../store/store.ts";

/** Counts the use of keys. */
export interface KeyGuard {
  /** Whether the key may be used from an address. */
  allowsAddress(key: ApiKey, clientAddress: string): boolean;
  /**
   * Counts one request and notes the use of its key, at most once a minute and without waiting for the store. Throws
   * `too_many_requests` with the seconds to wait past the key's own rate.
   */
  admit(key: ApiKey): void;
}

/** Parts of a {@link KeyGuard}. */
export interface KeyGuardDependencies {
  readonly store: Pick<Store, "noteKeyUse">;
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
}

const windowMs = 60_000;
/** The use of a key is written once in so long. */
const noteMs = 60_000;
/** Keys that are remembered; the one seen first is forgotten first. */
const keyCountMax = 10_000;

interface KeyUse {
  windowStartedAt: number;
  count: number;
  notedAt: number | null;
}

/** Creates a guard that has seen no key yet. Rates are counted by this process alone, in windows of a minute. */
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
