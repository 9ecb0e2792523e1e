import type { Clock } from "../../../core/clock.ts";

/** What is made, or null when it takes longer. Rejects as `making` does within the time; later it may do as it likes. */
export async function within<Made>(
  clock: Pick<Clock, "after">,
  waitMs: number,
  making: Promise<Made>,
): Promise<Made | null> {
  let cancel = (): void => undefined;
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(waitMs, () => {
      resolve(null);
    });
  });
  try {
    return await Promise.race([making, late]);
  } finally {
    cancel();
  }
}
