/** Content that is too large for the row of its message, and may lie outside the database. */

/**
 * Keeps content by keys of `[a-z0-9/-]` that the store makes up, each for one content only.
 *
 * No transaction covers this, so the store writes down first what may be left behind: (1) a row that says the content of
 * this key is to go at a certain hour; (2) `put`; (3) one transaction stores the message and takes that row back. Deleting a
 * message writes the row again, due at once. Whatever dies in between, a key is either owned by a message or named by such a
 * row, and `remove` follows the rows.
 */
export interface LargeContent {
  /** Resolves when the bytes are kept for good; the same again changes nothing. Rejects with `unavailable`. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there is none. Rejects with `unavailable`. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** At most `length` bytes from position `start`, which must lie inside; undefined when there is none. Rejects with `unavailable`. */
  getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined>;
  /** Keys without content are no error. Rejects with `unavailable` when some may still be there. */
  remove(keys: readonly string[]): Promise<void>;
}
