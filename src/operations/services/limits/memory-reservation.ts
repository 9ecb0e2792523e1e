/** Memory that an operation reserves before it loads large content. */

/** Memory reservation of one call. */
export interface MemoryReservation {
  /** Resolves when `bytes` are reserved; rejects with a problem when that takes too long. */
  reserve(bytes: number): Promise<void>;
}

/** Content up to this size is loaded without a reservation. */
export const unreservedBytesMax: number = 64 * 1024;
