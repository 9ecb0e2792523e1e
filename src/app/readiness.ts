import { within } from "../operations/services/limits/mail-admission.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/store.ts";

/** Readiness of the service for mail and requests. */
export interface Readiness {
  /** Resolves to true while the listeners are open and the store responds within two seconds; cached for 250 ms. */
  readonly isReady: () => Promise<boolean>;
  /** Sets whether the listeners are open. */
  readonly setOpen: (isOpen: boolean) => void;
}

const timeoutMs = 2000;

/** Time for which a result is cached: the endpoint needs no key, and each check writes to the store. */
const validityMs = 250;

/** Creates the readiness check; not ready until {@link Readiness.setOpen}. The store is checked at most four times a second. */
export function createReadiness(store: Pick<Store, "check">, clock: Pick<Clock, "after" | "monotonicMs">): Readiness {
  let isOpen = false;
  let checking: Promise<boolean> | null = null;
  let checkedAt = Infinity;
  const check = async (): Promise<boolean> => {
    if (checking === null || clock.monotonicMs() - checkedAt >= validityMs) {
      checkedAt = Infinity;
      checking = responds(store, clock).finally(() => {
        checkedAt = clock.monotonicMs();
      });
    }
    return await checking;
  };
  return {
    isReady: async () => isOpen && (await check()) && isOpen,
    setOpen: (open) => {
      isOpen = open;
    },
  };
}

async function responds(store: Pick<Store, "check">, clock: Pick<Clock, "after">): Promise<boolean> {
  const checked = store.check().then(
    () => true,
    () => false,
  );
  return (await within(clock, timeoutMs, checked)) === true;
}
