import type { ApiKey } from "../core/api-key.ts";

/** Part of the store that holds API keys. Keys of a server are deleted with it. */
export interface KeyStore {
  /** Adds a key. Rejects with `conflict` when the id or the hash is taken, with `not_found` when its server does not exist. */
  addKey(key: ApiKey): Promise<void>;
  /** Returns all keys, oldest first. */
  listKeys(): Promise<readonly ApiKey[]>;
  /** Returns the key with this hash of its present or former secret, also when either has expired. */
  findKey(hash: string): Promise<ApiKey | undefined>;
  /**
   * Gives a key a new secret. The present secret stays valid until `formerUntil`; with null it is revoked at once with its
   * sign-ins, as an earlier former secret always is. Returns undefined when there is no such key; rejects with `conflict`
   * when the hash is taken.
   */
  rotateKey(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined>;
  /** Moves `lastUsedAt` forward, never back; does nothing when there is no such key. */
  noteKeyUse(id: string, at: number): Promise<void>;
  /** Removes a key with its sign-ins; returns false when there is no such key. */
  removeKey(id: string): Promise<boolean>;
}
