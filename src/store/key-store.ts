import type { ApiKey } from "../core/api-key.ts";

/** API keys. Those of a server are removed with it. */
export interface KeyStore {
  /** Rejects with `conflict` when the id or the hash is taken, with `not_found` when its server does not exist. */
  addKey(key: ApiKey): Promise<void>;
  /** All keys, oldest first. */
  listKeys(): Promise<readonly ApiKey[]>;
  /** The key whose hash, or whose former secret's hash, this is; also where time has ended either. */
  findKey(hash: string): Promise<ApiKey | undefined>;
  /** Puts another hash of the same secret in place of a key's; its sign-ins follow. False when there is no such key. */
  rehashKey(id: string, hash: string): Promise<boolean>;
  /**
   * Gives a key another secret. The present one becomes the former one until `formerUntil`; null ends it at once, with its
   * sign-ins, as any earlier former secret ends with its own. Undefined when there is no such key; rejects with `conflict`
   * when the hash is taken.
   */
  rotateKey(id: string, hash: string, formerUntil: number | null): Promise<ApiKey | undefined>;
  /** Moves `lastUsedAt` forward, never back; nothing happens when there is no such key. */
  noteKeyUse(id: string, at: number): Promise<void>;
  /** Its sign-ins go with it; false when there is no such key. */
  removeKey(id: string): Promise<boolean>;
}
