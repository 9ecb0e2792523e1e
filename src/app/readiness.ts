import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/store.ts";

/** Whether the service takes work now. */
export interface Readiness {
  /** True while the doors are open and the store answers within two seconds, or did a quarter of a second ago. */
  readonly isReady: () => Promise<boolean>;
  /** The doors were opened, or are about to close. */
  readonly setOpen: (isOpen: boolean) => void;
}

const patienceMs = 2000;

/** Anybody may ask, and every answer costs the store a write: what it said holds for so long. */
const validityMs = 250;

/** Not ready until the doors are said to be open. However many ask, the store is asked once in a quarter of a second. */
export function createReadiness(store: Pick<Store, "check">, clock: Pick<Clock, "after" | "monotonicMs">): Readiness {
  let isOpen = false;
  let asked: Promise<boolean> | null = null;
  let answeredAt = Infinity;
  const ask = async (): Promise<boolean> => {
    if (asked === null || clock.monotonicMs() - answeredAt >= validityMs) {
      answeredAt = Infinity;
      asked = answers(store, clock).finally(() => {
        answeredAt = clock.monotonicMs();
      });
    }
    return await asked;
  };
  return {
    isReady: async () => isOpen && (await ask()) && isOpen,
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
