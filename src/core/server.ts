import type { ServerId } from "./ids.ts";
import type { ServerQuota } from "./server-quota.ts";

/** What a server removes by itself. null switches a rule off; both are off unless the owner asks. */
export interface Retention {
  /** Messages received longer ago than this are removed. */
  readonly ageSecondsMax: number | null;
  /** Of each server's messages only so many are kept, the newest. */
  readonly messageCountMax: number | null;
}

/** A container of messages, isolated from every other. */
export interface Server {
  readonly id: ServerId;
  readonly name: string;
  /** Ids of users with access, as given; the service attaches no meaning to them. */
  readonly users: readonly string[];
  /** How many messages it holds now, both directions. */
  readonly messages: number;
  /** How many bytes these messages count for, by `storedBytes`. */
  readonly bytes: number;
  /** Its own quota; where a member is null, the default of all servers applies. */
  readonly quota: ServerQuota;
  readonly retention: Retention;
  /** How many messages retention has removed since the server was made. */
  readonly retired: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** When the server deletes itself with all it holds, in milliseconds since the Unix epoch; null for never. */
  readonly expiresAt: number | null;
}

/** What an owner may change; absent members stay as they are. */
export interface ServerChange {
  readonly name?: string;
  readonly users?: readonly string[];
  readonly retention?: Partial<Retention>;
  readonly quota?: Partial<ServerQuota>;
}
