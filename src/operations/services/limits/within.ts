import type { Clock } from "../../../core/clock.ts";

/** Resolves as `making` does, or with null after the time-out. Rejects as `making` does before the time-out. */
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
