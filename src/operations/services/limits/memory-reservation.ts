/** Memory that an operation asks for before it reads large content. */

/** Grants memory to one call. */
export interface MemoryReservation {
  /** Resolves when the call may hold `bytes`; rejects with a problem when that takes too long. */
  reserve(bytes: number): Promise<void>;
}

/** Content up to this size is read without asking. */
export const unreservedBytesMax: number = 64 * 1024;
