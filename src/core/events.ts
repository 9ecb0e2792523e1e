import type { Change } from "./change.ts";
import type { AddressRole, TextField } from "./criteria.ts";
import type { ServerId } from "./ids.ts";

/**
 * What a waiter may test without asking the store again; folded as the store's search keys are. Of messages that another
 * node stored not everything is known: null may be anything.
 */
export interface EventMessage
  extends Readonly<Record<AddressRole, readonly string[] | null>>, Readonly<Record<TextField, string | null>> {
  readonly from: readonly string[] | null;
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string | null;
}

/**
 * A committed change of one server; `message` comes with `received` and `sent`. Without a change: anything may have
 * happened, and whoever waits must look.
 */
export type ServerEvent =
  | { readonly server: ServerId; readonly change: Change; readonly message: EventMessage | null }
  | { readonly server: ServerId; readonly change: null; readonly message: null };

/** Called right after the commit, before the sender hears of it; must be quick and must not throw. */
export type ServerListener = (event: ServerEvent) => void;

/** Tells those who wait for a server's changes, and no one else. */
export interface EventHub {
  /** Calls every listener of the event's server, in the order of their subscription. */
  publish(event: ServerEvent): void;
  /** Hears the server's events from now on, until the returned function is called. */
  subscribe(server: ServerId, listener: ServerListener): () => void;
  /** Whether anybody listens to the server. */
  hasListeners(server: ServerId): boolean;
  /**
   * Somebody who listens to the server has seen all of its changes up to this one: what comes after is owed to everybody
   * who listens, whichever node commits it.
   */
  noteSeen(server: ServerId, sequence: number): void;
}

/** An empty hub of one process. Publishing costs one map look-up for servers that nobody listens to. */
export function createEventHub(): EventHub {
  const listeners = new Map<ServerId, Set<ServerListener>>();
  return {
    publish(event) {
      const heard = listeners.get(event.server);
      if (heard === undefined) return;
      for (const listener of Array.from(heard)) listener(event);
    },
    subscribe(server, listener) {
      const heard = listeners.get(server) ?? new Set();
      const own: ServerListener = (event) => {
        listener(event);
      };
      listeners.set(server, heard.add(own));
      return () => {
        heard.delete(own);
        if (heard.size === 0 && listeners.get(server) === heard) listeners.delete(server);
      };
    },
    hasListeners: (server) => listeners.has(server),
    noteSeen: () => undefined,
  };
}
