/** Storage for content that is too large for the row of its message. */

/**
 * Stores content under keys of `[a-z0-9/-]` that the store generates, each for one content only. No transaction covers
 * it, so the store records first what may be orphaned: (1) a row that says that the content of this key is removed at a
 * certain hour; (2) `put`; (3) one transaction that stores the message and deletes that row. Deleting a message adds
 * the row again, due at once. When a node exits in between, each key is either owned by a message or named by such a
 * row, and `remove` works through the rows.
 */
export interface LargeContent {
  /** Stores bytes durably; repeating it changes nothing. Rejects with `unavailable`. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns the bytes; undefined when there are none. Rejects with `unavailable`. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Returns at most `length` bytes from position `start`, which must be inside; undefined when there are none. Rejects
   * with `unavailable`.
   */
  getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined>;
  /** Removes content; keys without content are skipped. Rejects with `unavailable` when some may be left. */
  remove(keys: readonly string[]): Promise<void>;
}
