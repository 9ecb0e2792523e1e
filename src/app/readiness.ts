import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/store.ts";

/** Whether the service takes work now. */
export interface Readiness {
  /** True while the doors are open and the store answers within two seconds. */
  readonly isReady: () => Promise<boolean>;
  /** The doors were opened, or are about to close. */
  readonly setOpen: (isOpen: boolean) => void;
}

const patienceMs = 2000;

/** Not ready until the doors are said to be open. */
export function createReadiness(store: Pick<Store, "check">, clock: Pick<Clock, "after">): Readiness {
  let isOpen = false;
  return {
    isReady: async () => isOpen && (await answers(store, clock)) && isOpen,
    setOpen: (open) => {
      isOpen = open;
    },
  };
}

async function answers(store: Pick<Store, "check">, clock: Pick<Clock, "after">): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(patienceMs, () => {
      resolve(false);
    });
  });
  const checked = store.check().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([checked, late]);
  } finally {
    cancel();
  }
}
