import type { ServerId } from "./ids.ts";

/**
 * Scope of an API key.
 * - `full`: everything.
 * - `read`: list, search, wait and fetch; no writes.
 * - `send`: create messages, send, reply and forward; no reads, changes or deletions.
 */
export type KeyScope = "full" | "read" | "send";

/** All scopes, widest first. */
export const keyScopes: readonly KeyScope[] = ["full", "read", "send"];

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
  /** Hash of the key, see `operations/services/security/key-hash.ts`. */
  readonly hash: string;
  /** The only server the key can access; null for an account key, which can access all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch, at most one minute late; null before the first use. */
  readonly lastUsedAt: number | null;
  /** Null unless the key was rotated with a grace period. */
  readonly former: FormerSecret | null;
}

/** Defaults of a new key without restrictions. */
export const freshKey: Omit<ApiKey, "id" | "name" | "hash" | "server" | "createdAt"> = {
  scope: "full",
  expiresAt: null,
  requestsPerMinute: null,
  networks: [],
  lastUsedAt: null,
  former: null,
};

/** Authenticated caller of a request. */
export interface Principal {
  readonly keyId: string;
  /** Name of the key; absent for principals without a key. */
  readonly keyName?: string;
  /** The only server that this principal can access; null for an account key. */
  readonly server: ServerId | null;
  /** Absent: `full`, for the operator and other principals without a key. */
  readonly scope?: KeyScope;
  /** Expiry of the key in milliseconds since the Unix epoch; absent or null for never. */
  readonly expiresAt?: number | null;
}
