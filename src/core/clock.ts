/** The service's only source of time, so that every wait and every instant can be driven by a test. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `action` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, action: () => void): () => void;
}

/** Wall-clock time of the machine; its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
