/** What nodes that share a store need of it beside the contract. Never a condition for anything to be right, but for soon. */
import type { ServerEvent } from "../core/events.ts";
import type { ServerId } from "../core/ids.ts";

/**
 * What one node tells the others.
 * - `changed`: a commit has brought a server to this number of its sequence.
 * - `wrong_secret`: somebody at this address gave a wrong key or password.
 * - `revoked`: a key has ended, or (null) sessions or several keys have.
 */
export type Word =
  | { readonly kind: "changed"; readonly server: ServerId; readonly sequence: number }
  | { readonly kind: "wrong_secret"; readonly address: string }
  | { readonly kind: "revoked"; readonly keyId: string | null };

/** A change with its message, as those who wait want it. */
export type ChangeEvent = Extract<ServerEvent, { readonly change: object }>;

/** A store that several nodes share. */
export interface NodeStore {
  /** Of this node, and of no other. */
  readonly id: string;
  /**
   * Tells the other nodes, within milliseconds or never: words are gathered, so that a flood of them costs little, and lost
   * where the connection is. Never waits for anything.
   */
  tell(word: Word): void;
  /** Hears what other nodes tell, not what this one does. */
  onWord(listener: (word: Word) => void): void;
  /** The last sequence numbers of servers, in one query; those that do not exist are left out. */
  readSequences(servers: readonly ServerId[]): Promise<ReadonlyMap<ServerId, number>>;
  /**
   * Changes of a server after `sequence`, in order, at most `limit`, with their messages' keys as far as they are still
   * there. Undefined as for `MessageStore.listChanges`.
   */
  readEvents(server: ServerId, sequence: number, limit: number): Promise<readonly ChangeEvent[] | undefined>;
  /**
   * Whether this node is the one that does a piece of background work for the next `forMs`, by the clock of the store.
   * Whoever did it last goes on as long as it asks in time; when it dies, another takes over after that.
   */
  hold(task: string, forMs: number): Promise<boolean>;
  /** Lets another node do it at once; nothing happens where this one does not hold it. */
  release(task: string): Promise<void>;
  /** Says that this node lives, for the next `forMs`. */
  stayAlive(forMs: number): Promise<void>;
  /**
   * Makes the outbox entries due at `now` that nodes hold who have not said for long enough that they live; answers how
   * many. Only for leases that begin with the node's id and a slash.
   */
  endLeasesOfDead(now: number): Promise<number>;
  /** Lets go of everything that this node holds, and tells and hears nothing more. */
  close(): Promise<void>;
}
