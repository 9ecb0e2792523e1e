/** Operations that nodes with a common store need besides its contract. They speed nodes up; correctness never depends on them. */
import type { ServerEvent } from "../core/events.ts";
import type { ServerId } from "../core/ids.ts";
import type { SpanPosition } from "../core/tracing.ts";

/**
 * Notification from one node to all others.
 * - `traced`: the change of a server with this number is part of a trace. Sent with the next notification, before that of the
 *   change.
 * - `changed`: a commit has brought a server to this sequence number.
 * - `wrong_secret`: a client at this address gave a wrong key or password.
 * - `revoked`: a key was revoked or has expired; null: sessions or several keys.
 */
export type NodeNotification =
  | { readonly kind: "traced"; readonly server: ServerId; readonly sequence: number; readonly span: SpanPosition }
  | { readonly kind: "changed"; readonly server: ServerId; readonly sequence: number }
  | { readonly kind: "wrong_secret"; readonly address: string }
  | { readonly kind: "revoked"; readonly keyId: string | null };

/** Change with its message, as waiting callers need it. */
export type ChangeEvent = Extract<ServerEvent, { readonly change: object }>;

/** Store that several nodes share. */
export interface NodeStore {
  /** Id of this node, which no other node has. */
  readonly id: string;
  /**
   * Notifies the other nodes, usually within milliseconds. Notifications are sent in batches, and lost while there is no
   * connection. Returns at once.
   */
  notify(notification: NodeNotification): void;
  /** Calls the listener for each notification of other nodes, not for those of this one. */
  onNotification(listener: (notification: NodeNotification) => void): void;
  /** Returns the last sequence numbers of servers, in one query; servers that do not exist are left out. */
  readSequences(servers: readonly ServerId[]): Promise<ReadonlyMap<ServerId, number>>;
  /**
   * Returns changes of a server after `sequence`, in order, at most `limit`, with the search keys of messages that still
   * exist. Undefined as for `MessageStore.listChanges`.
   */
  readEvents(server: ServerId, sequence: number, limit: number): Promise<readonly ChangeEvent[] | undefined>;
  /**
   * Acquires or renews the lease on a task for `forMs` by the clock of the database; true while this node holds it. A lease
   * that its holder does not renew in time passes to another node.
   */
  hold(task: string, forMs: number): Promise<boolean>;
  /** Releases the lease on a task; does nothing when this node does not hold it. */
  release(task: string): Promise<void>;
  /** Records that this node is alive for the next `forMs`. */
  sendHeartbeat(forMs: number): Promise<void>;
  /**
   * Makes outbox entries, scheduled mails, callbacks and scans due at `now` that are leased by nodes whose heartbeat has
   * expired; returns their number. Only for leases that begin with the node's id and a slash.
   */
  releaseLeasesOfDeadNodes(now: number): Promise<number>;
  /** Releases every lease of this node and stops notifications both ways. */
  close(): Promise<void>;
}
