/** Contract of the part of the store that holds servers. */
import type { ServerId } from "../core/ids.ts";
import type { ReaderDeletion, Retention, Server, ServerChange, ServerQuota } from "../core/server.ts";

/** A new server. `password` opens SMTP AUTH; the store keeps it as given: callers seal it. */
export interface NewServer {
  readonly id: ServerId;
  readonly name: string;
  readonly password: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** State of a server that is imported, or owned by a team; empty by default. */
  readonly team?: string | null;
  readonly users?: readonly string[];
  readonly retention?: Retention;
  readonly quota?: Partial<ServerQuota>;
  readonly readerDeletion?: ReaderDeletion;
  readonly retired?: number;
  readonly isProtected?: boolean;
  /** First `Server.trafficAt`; by default the instant of creation. */
  readonly trafficAt?: number;
  /** Least `Server.uidValidity`; by default the instant of creation, in seconds. */
  readonly uidValidityMin?: number;
}

/** Part of the store that holds servers. */
export interface ServerStore {
  /**
   * Creates a server, whose `uidValidity` is greater than that of all servers that were created before. Rejects with
   * `conflict` when the id is taken, with `not_found` without its team.
   */
  createServer(server: NewServer): Promise<Server>;
  /** Returns all servers, by name (Unicode code points, ignoring case), then by id. */
  listServers(): Promise<readonly Server[]>;
  getServer(id: ServerId): Promise<Server | undefined>;
  /**
   * Returns whether the server exists, possibly from a cache: with several nodes it may stay true for a second after
   * another node has deleted the server; storing a message then reports `no_server`. Without a promise from a cache.
   */
  hasServer(id: ServerId): Promise<boolean> | boolean;
  /** Returns the server created first (with the smallest id among equals). Does not read the others. */
  findOldestServer(): Promise<Server | undefined>;
  /**
   * Returns servers that have a retention rule, of their own or by their team, or that expire at `now` or before, in any order,
   * with the retention that applies. Does not read the others.
   */
  listServersForMaintenance(now: number): Promise<readonly Server[]>;
  /** Returns the password as it was stored; undefined when there is no such server. */
  getServerPassword(id: ServerId): Promise<string | undefined>;
  /**
   * Replaces the password of a server and overwrites the former one on disk where the database allows it. Returns false
   * when there is no such server, or when `present` is given and differs from its password.
   */
  setServerPassword(id: ServerId, password: string, present?: string): Promise<boolean>;
  /** Changes a server; undefined when there is no such server. Rejects with `not_found` without its new team. */
  updateServer(id: ServerId, change: ServerChange): Promise<Server | undefined>;
  /**
   * Deletes a server with its keys, their sign-ins and its messages; returns false when there is no such server, and when
   * `idleSince` is given and it is protected, has had traffic since that instant, or has messages that arrive later.
   */
  deleteServer(id: ServerId, idleSince?: number): Promise<boolean>;
}
