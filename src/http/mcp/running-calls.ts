/** Request that a client may cancel by a later one. */
export interface RunningCall {
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
  /** Forgets the request. */
  end(): void;
}

/** Names a request: ids are unique within a session of one key. */
export interface CallName {
  readonly keyId: string;
  readonly session: string;
  /** JSON-RPC id. */
  readonly id: unknown;
}

/**
 * Requests of this node that are under way, for `notifications/cancelled`. A session only tells the requests of clients
 * with the same key apart: it permits nothing.
 */
export class RunningCalls {
  readonly #calls = new Map<string, AbortController>();

  /** Adds a request. */
  start(name: CallName): RunningCall {
    const key = keyOf(name);
    const controller = new AbortController();
    this.#calls.set(key, controller);
    const end = (): void => {
      if (this.#calls.get(key) === controller) this.#calls.delete(key);
    };
    return { signal: controller.signal, end };
  }

  /** Cancels a request, if it is under way. */
  cancel(name: CallName): void {
    this.#calls.get(keyOf(name))?.abort();
  }

  /** Number of requests under way. */
  get count(): number {
    return this.#calls.size;
  }
}

function keyOf({ keyId, session, id }: CallName): string {
  return JSON.stringify([keyId, session, id]);
}
