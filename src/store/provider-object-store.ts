/**
 * Contract of the store of objects of providers' APIs: templates, identities, verifications. Objects of the provider `restante` are
 * those of the service itself.
 */
import type { ServerId } from "../core/ids.ts";

/** Owner and kind of objects. */
export interface ProviderObjectScope {
  /** Name of the provider. */
  readonly provider: string;
  /** Null: the account. */
  readonly server: ServerId | null;
  readonly kind: string;
}

/** Identity of an object. */
export interface ProviderObjectKey extends ProviderObjectScope {
  readonly id: string;
}

/** Stored object. */
export interface StoredProviderObject extends ProviderObjectKey {
  /** JSON of the value; opaque to the store. */
  readonly json: string;
  /** Number of changes, starting at 1. */
  readonly version: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Instant from which the object counts as absent, in milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null;
}

/** New value of an object. */
export interface ProviderObjectChange extends ProviderObjectKey, Pick<StoredProviderObject, "json" | "expiresAt"> {
  /** Replaces exactly this version, 0 for an object that is absent; null for any. */
  readonly version: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Number of objects of the scope above which no object is created. */
  readonly countMax: number;
}

/** Part of a list. */
export interface ProviderObjectPage {
  readonly offset: number;
  readonly limit: number;
  readonly now: number;
}

/** Objects of providers. Expired ones count as absent. They are deleted with their server. */
export interface ProviderObjectStore {
  getObject(key: ProviderObjectKey, now: number): Promise<StoredProviderObject | undefined>;
  /** Returns objects of a scope, oldest first, those of the same instant by id. */
  listObjects(scope: ProviderObjectScope, page: ProviderObjectPage): Promise<readonly StoredProviderObject[]>;
  /**
   * Creates or replaces an object; a replaced one keeps its `createdAt`. Returns false when it does not have the expected
   * version. Rejects with `not_found` when the server does not exist, with `limit_reached` above `countMax`.
   */
  putObject(change: ProviderObjectChange): Promise<boolean>;
  /** Removes an object; false when there is none. */
  removeObject(key: ProviderObjectKey, now: number): Promise<boolean>;
  /** Removes expired objects, at most `countMax`; returns their number. */
  removeExpiredObjects(now: number, countMax: number): Promise<number>;
  /** Returns objects of all scopes that never expire, after an object in an order of the store, at most `limit`. */
  walkObjects(after: ProviderObjectKey | null, limit: number): Promise<readonly StoredProviderObject[]>;
}
