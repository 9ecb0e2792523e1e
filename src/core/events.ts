/** Changes of servers, and their publication to subscribers. */
import type { AddressRole, LabelRole, TextField } from "./criteria.ts";
import type { ServerId, MessageId } from "./ids.ts";

/**
 * Kind of a change. `failed`: a sent message cannot be delivered to a recipient; `marked`: flags or tags of messages have
 * changed.
 */
export type ChangeKind = "received" | "sent" | "deleted" | "emptied" | "failed" | "marked";

/**
 * Change of a server. Changes are numbered 1, 2, 3 … per server in commit order: no number is skipped or repeated.
 */
export interface Change {
  readonly sequence: number;
  readonly kind: ChangeKind;
  /** Id of the changed message; null when the server was emptied, or when several messages were marked. */
  readonly id: MessageId | null;
}

/**
 * Search keys of a new message, folded as in the store, which waiters match without a query. Null: not known, because
 * another node stored the message, or the server had no subscribers when it was stored.
 */
export interface EventMessage
  extends
    Readonly<Record<AddressRole, readonly string[] | null>>,
    Readonly<Partial<Record<LabelRole, readonly string[] | null>>>,
    Readonly<Record<TextField, string | null>> {
  readonly from: readonly string[] | null;
  readonly to: readonly string[] | null;
  readonly subject: string;
  readonly body: string | null;
  /** `Summary` as the store holds it; absent when it is not known. */
  readonly summaryJson?: Uint8Array;
}

/**
 * Committed change of one server; `message` is present with `received` and `sent`. Without `change`, subscribers must
 * query the store.
 */
export type ServerEvent =
  | { readonly server: ServerId; readonly change: Change; readonly message: EventMessage | null }
  | { readonly server: ServerId; readonly change: null; readonly message: null };

/** Listener, called after the commit and before the sender is answered; must be quick and must not throw. */
export type ServerListener = (event: ServerEvent) => void;

/** Publishes changes of servers to their subscribers. */
export interface EventHub {
  /** Calls every listener of the event's server, in the order of their subscription. */
  publish(event: ServerEvent): void;
  /** Subscribes to the server's events until the returned function is called. */
  subscribe(server: ServerId, listener: ServerListener): () => void;
  /** Whether the server has subscribers. */
  hasListeners(server: ServerId): boolean;
  /**
   * Records that a subscriber has seen all changes of the server up to this one. All later changes are published to the
   * subscribers, whichever node commits them.
   */
  noteSeen(server: ServerId, sequence: number): void;
}

/** Creates a hub for one process. Publishing costs one map lookup for servers without subscribers. */
export function createEventHub(): EventHub {
  const listeners = new Map<ServerId, Set<ServerListener>>();
  return {
    publish(event) {
      const subscribed = listeners.get(event.server);
      if (subscribed === undefined) return;
      for (const listener of Array.from(subscribed)) listener(event);
    },
    subscribe(server, listener) {
      const subscribed = listeners.get(server) ?? new Set();
      const own: ServerListener = (event) => {
        listener(event);
      };
      listeners.set(server, subscribed.add(own));
      return () => {
        subscribed.delete(own);
        if (subscribed.size === 0 && listeners.get(server) === subscribed) listeners.delete(server);
      };
    },
    hasListeners: (server) => listeners.has(server),
    noteSeen: () => undefined,
  };
}
