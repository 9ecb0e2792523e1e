/** Source of time, injected so that tests control it. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch; an operator may set it back or forward. For instants that are shown or stored. */
  now(): number;
  /** Milliseconds since an arbitrary start that never jump: for time-outs, durations and rates. */
  monotonicMs(): number;
  /** Calls `action` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, action: () => void): () => void;
}

/** Clocks of the operating system; timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
