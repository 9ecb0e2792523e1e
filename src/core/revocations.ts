/** Notifies long-lived callers (waiting searches, event streams) of revoked keys and sessions, so that they check their own. */
export interface Revocations {
  /** Notifies all listeners after a key was revoked (its id), or after several keys or sessions were (null). */
  readonly publish: (keyId: string | null) => void;
  /** Calls the listener on every revocation until the returned function is called. Listeners must be quick and must not throw. */
  readonly subscribe: (listener: (keyId: string | null) => void) => () => void;
}

/** Creates revocations without listeners. */
export function createRevocations(): Revocations {
  const listeners = new Set<(keyId: string | null) => void>();
  return {
    publish: (keyId) => {
      for (const listener of Array.from(listeners)) listener(keyId);
    },
    subscribe: (listener) => {
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
