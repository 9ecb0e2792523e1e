/** Tells those who speak for somebody over a long time that some right has ended, so that they look whether it was theirs. */
export interface Revocations {
  /** To be called after a key, or a session, has ended. */
  readonly tell: () => void;
  /** Hears of every ending until the returned function is called. Listeners must be quick and must not throw. */
  readonly hear: (listener: () => void) => () => void;
}

/** Nobody listens yet. */
export function createRevocations(): Revocations {
  const listeners = new Set<() => void>();
  return {
    tell: () => {
      for (const listener of Array.from(listeners)) listener();
    },
    hear: (listener) => {
      const own = (): void => {
        listener();
      };
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
