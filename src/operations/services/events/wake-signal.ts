/** A bell that remembers having been rung between two waits, and an end after which nobody waits any more. */
export interface WakeSignal {
  readonly ring: () => void;
  readonly end: () => void;
  /** True at the next ring (or at once if it rang since the last call), false at the end. */
  readonly next: () => Promise<boolean>;
}

/** An alarm that has not rung yet. */
export function createWakeSignal(): WakeSignal {
  let hasRung = false;
  let hasEnded = false;
  let settle: ((rang: boolean) => void) | null = null;
  const wakeUp = (): void => {
    if (settle === null || (!hasRung && !hasEnded)) return;
    const rang = hasRung;
    hasRung = false;
    settle(rang);
    settle = null;
  };
  return {
    ring: () => {
      hasRung = true;
      wakeUp();
    },
    end: () => {
      hasEnded = true;
      wakeUp();
    },
    next: async () =>
      new Promise<boolean>((resolve) => {
        settle = resolve;
        wakeUp();
      }),
  };
}

/** Calls the action once when the signal aborts, at once if it has; until the returned function is called. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  signal.addEventListener("abort", action, { once: true });
  return () => {
    signal.removeEventListener("abort", action);
  };
}
