import type { ServerId } from "./ids.ts";

/**
 * What a key may be used for.
 * - `full`: everything.
 * - `read`: list, search, wait and fetch; nothing is made, changed, sent or deleted.
 * - `send`: create messages, send, reply and forward; nothing is listed, searched, changed or deleted.
 */
export type KeyScope = "full" | "read" | "send";

/** All scopes, the widest first. */
export const keyScopes: readonly KeyScope[] = ["full", "read", "send"];

/** Limits that the owner of a key has set. */
export interface KeyLimits {
  readonly scope: KeyScope;
  /** Milliseconds since the Unix epoch from which on the key opens nothing; null for never. */
  readonly expiresAt: number | null;
  /** Requests that one node answers within a minute; null for no limit. */
  readonly requestsPerMinute: number | null;
  /** Addresses and networks (see `isNetwork`) that the key may be used from; empty for all. */
  readonly networks: readonly string[];
}

/** Former secret of a rotated key, which opens as much as the present one for some time. */
export interface FormerSecret {
  readonly hash: string;
  /** Milliseconds since the Unix epoch from which on it opens nothing. */
  readonly until: number;
}

/** A key as the service remembers it: never the key itself, only its hash. */
export interface ApiKey extends KeyLimits {
  /** Public handle, to list and revoke by. */
  readonly id: string;
  /** What the owner called it. */
  readonly name: string;
  /** Hash of the key, see `operations/services/security/key-hash.ts`. */
  readonly hash: string;
  /** The only server the key opens; null for an account key, which opens all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch, at most a minute behind; null before the first use. */
  readonly lastUsedAt: number | null;
  /** Null unless the key was rotated with a grace period. */
  readonly former: FormerSecret | null;
}

/** What a key has that was made without limits and is not used yet. */
export const freshKey: Omit<ApiKey, "id" | "name" | "hash" | "server" | "createdAt"> = {
  scope: "full",
  expiresAt: null,
  requestsPerMinute: null,
  networks: [],
  lastUsedAt: null,
  former: null,
};

/** Whoever a request speaks for, after its key was found. */
export interface Principal {
  readonly keyId: string;
  /** What the owner called the key; absent for principals without a key. */
  readonly keyName?: string;
  /** The only server that exists for this principal; null for an account key. */
  readonly server: ServerId | null;
  /** Absent: `full`, for the operator and other principals without a key. */
  readonly scope?: KeyScope;
  /** When the key expires, in milliseconds since the Unix epoch; absent or null for never. */
  readonly expiresAt?: number | null;
}
