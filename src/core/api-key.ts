import type { ServerId } from "./ids.ts";
import type { KeyOwner } from "./people.ts";

/**
 * Scope of an API key.
 * - `full`: everything.
 * - `read`: list, search, wait and fetch; no writes.
 * - `send`: create messages, send, reply and forward; no reads, changes or deletions.
 * - `scim`: users and groups by SCIM, and nothing else.
 */
export type KeyScope = "full" | "read" | "send" | "scim";

/** All scopes, widest first. */
export const keyScopes: readonly KeyScope[] = ["full", "read", "send", "scim"];

/** Restrictions of an API key. */
export interface KeyLimits {
  readonly scope: KeyScope;
  /** Expiry in milliseconds since the Unix epoch; null for never. */
  readonly expiresAt: number | null;
  /** Requests per minute and node; null for no limit. */
  readonly requestsPerMinute: number | null;
  /** Allow-list of client addresses and networks (see `isNetwork`); empty allows all. */
  readonly networks: readonly string[];
}

/** Former secret of a rotated key, valid beside the current one during the grace period. */
export interface FormerSecret {
  readonly hash: string;
  /** Expiry in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** Stored API key: its hash, never the key itself. */
export interface ApiKey extends KeyLimits {
  /** Public id, for listing and revoking. */
  readonly id: string;
  /** Name chosen by the owner. */
  readonly name: string;
  /** Hash of the key, see `operations/services/security/stored-secrets.ts`. */
  readonly hash: string;
  /** The only server the key can access; null for an account key, which can access all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch, at most one minute late; null before the first use. */
  readonly lastUsedAt: number | null;
  /** Null unless the key was rotated with a grace period. */
  readonly former: FormerSecret | null;
  /** User or team whose access the key cannot exceed, and with which it is removed; null for neither. */
  readonly owner: KeyOwner | null;
}

/** Defaults of a new key without restrictions. */
export const freshKey: Omit<ApiKey, "id" | "name" | "hash" | "server" | "createdAt"> = {
  scope: "full",
  expiresAt: null,
  requestsPerMinute: null,
  networks: [],
  lastUsedAt: null,
  former: null,
  owner: null,
};

/**
 * Access that a request requires.
 * - `read`: to list, search, wait, fetch.
 * - `send`: to create, send, reply, forward.
 * - `manage`: to change or delete messages and what tests use, or to see a password.
 * - `settings`: to change a server itself.
 * - `scim`: to provision users and groups.
 * - `any`: any valid key, except for those of SCIM.
 */
export type Need = "read" | "send" | "manage" | "settings" | "scim" | "any";

/** Access to a server: that of a key's scope, or `test`, which is `full` without the settings of the server. */
export type Access = KeyScope | "test";

/** Access of a user, or of a key with an owner, to the servers of teams. */
export interface TeamAccess {
  readonly servers: ReadonlyMap<ServerId, Access>;
  /** Ids of the teams that the principal manages. */
  readonly managed: ReadonlySet<string>;
  /** Access that the request requires of each server that it names. */
  readonly need: Need;
}

/** Person on whose behalf a request is made. */
export interface PrincipalUser {
  readonly id: string;
  readonly email: string;
}

/** Authenticated caller of a request. */
export interface Principal {
  /** Id of the key; `user:` and the id of the user for one that has signed in. */
  readonly keyId: string;
  /** Name of the key; absent for principals without a key. */
  readonly keyName?: string;
  /** The only server that this principal can access, or the servers of its teams; null for all of the account. */
  readonly server: ServerId | TeamAccess | null;
  /** Absent: `full`, for the operator and other principals without a key. */
  readonly scope?: Access;
  /** Expiry of the key in milliseconds since the Unix epoch; absent or null for never. */
  readonly expiresAt?: number | null;
  /** The user that has signed in or owns the key; absent for other principals. */
  readonly user?: PrincipalUser;
}

/** Principal of one server or of the account. */
export interface PlainPrincipal extends Principal {
  readonly server: ServerId | null;
}

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
