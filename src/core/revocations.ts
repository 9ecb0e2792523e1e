/** Tells long-lived callers (waiting searches, event streams) that some right has ended, so that they check their own. */
export interface Revocations {
  /** To be called after a key has ended, with its id, or after sessions or keys of several have, with null. */
  readonly tell: (keyId: string | null) => void;
  /** Calls the listener at every ending until the returned function is called. Listeners must be quick and must not throw. */
  readonly hear: (listener: (keyId: string | null) => void) => () => void;
}

/** Creates revocations that nobody listens to yet. */
export function createRevocations(): Revocations {
  const listeners = new Set<(keyId: string | null) => void>();
  return {
    tell: (keyId) => {
      for (const listener of Array.from(listeners)) listener(keyId);
    },
    hear: (listener) => {
      const own = (keyId: string | null): void => {
        listener(keyId);
      };
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
