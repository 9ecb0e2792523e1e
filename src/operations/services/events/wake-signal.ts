/** Signal that wakes one waiter, remembers a wake-up between two waits, and can be ended. */
export interface WakeSignal {
  readonly notify: () => void;
  readonly end: () => void;
  /** Resolves with true at the next wake-up, or at once if there was one since the last call; with false at the end. */
  readonly next: () => Promise<boolean>;
}

/** Creates a signal. */
export function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let hasEnded = false;
  let settle: ((isWoken: boolean) => void) | null = null;
  const wakeUp = (): void => {
    if (settle === null || (!isNotified && !hasEnded)) return;
    const isWoken = isNotified;
    isNotified = false;
    settle(isWoken);
    settle = null;
  };
  return {
    notify: () => {
      isNotified = true;
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

/** Calls the action once when the signal aborts, or at once if it has, unless the returned function is called first. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  signal.addEventListener("abort", action, { once: true });
  return () => {
    signal.removeEventListener("abort", action);
  };
}
