import type { ServerId } from "./ids.ts";

/** A key as the service remembers it: never the key itself, only its SHA-256. */
export interface ApiKey {
  /** Public handle, to list and revoke by. */
  readonly id: string;
  /** What the owner called it. */
  readonly name: string;
  /** Lower-case hex SHA-256 of the key. */
  readonly hash: string;
  /** The only server the key opens; null for an account key, which opens all. */
  readonly server: ServerId | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Whoever a request speaks for, after its key was found. */
export interface Principal {
  readonly keyId: string;
  /** The only server that exists for this principal; null for an account key. */
  readonly server: ServerId | null;
}
