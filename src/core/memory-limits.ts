/** Budgets of memory, and the sizes that depend on them. */

const mebibyte = 1024 * 1024;

/** Limits derived from the memory of the process, in bytes. */
export interface MemoryLimits {
  /** Size of one mail as received (SMTP SIZE, RFC 1870). */
  readonly messageBytesMax: number;
  /** Size of a JSON body with message content: create, reply. */
  readonly contentBodyBytesMax: number;
  /**
   * Mail in memory over all sessions of a listener, until its commit; at least one mail of the largest size. Without this
   * limit a few hundred sessions with mails below the size limit exhaust the memory.
   */
  readonly smtpBytesInFlightMax: number;
  /**
   * Estimated memory of large mails that are parsed and stored concurrently; a mail that needs more is processed alone.
   * Without this limit four mails of the largest size end a process in a container of 1 GiB.
   */
  readonly mailWorkBytesMax: number;
  /**
   * Request bodies of authenticated callers in memory, from their first byte to the response; at least one body of the largest
   * size. Without this limit a few dozen bodies below the size limit exhaust the memory.
   */
  readonly httpBytesInFlightMax: number;
  /** Request bodies in memory whose senders are not authenticated; they never use the memory of those that are. */
  readonly unauthenticatedBytesInFlightMax: number;
  /**
   * Large responses in memory, from loading their content to writing the last byte; a larger one is sent alone. Without
   * this limit clients that do not read exhaust the memory.
   */
  readonly answerBytesInFlightMax: number;
}

/**
 * Memory per byte of a mail that is parsed and stored: the raw mail, its copy on the reader thread, decoded texts, the
 * record, the copy on the writer thread and its compressed form.
 */
export const mailWorkBytesPerByte = 5;

/**
 * Memory per byte of a request body from which a mail is made: the text and the values of its JSON, decoded files, and the
 * mail, which is parsed and stored as others are.
 */
export const bodyWorkBytesPerByte = 6;

/** Memory of a process without mail and requests under way: Node's binary, heaps, stacks, caches of the store. */
export const idleBytes: number = 128 * mebibyte;

/** Returns the memory that budgets may use together, of a machine or container with so many bytes. */
export function budgetBytes(memoryBytes: number): number {
  return Math.max(memoryBytes - idleBytes, memoryBytes / 4);
}

/**
 * Divides the memory of a machine or a container, in bytes: a sixteenth for incoming mail, a quarter for mail that is
 * parsed, an eighth each for request bodies and responses, a sixty-fourth for strangers, each up to a bound. Each has room for
 * the largest mail or body, so that those are smaller where there is little memory. Together they keep {@link budgetBytes}.
 */
export function memoryLimits(memoryBytes: number): MemoryLimits {
  const available = budgetBytes(memoryBytes);
  const messageBytesMax = whole(Math.min(50 * mebibyte, available / 10));
  const contentBodyBytesMax = 1.5 * messageBytesMax;
  const share = (part: number, bytesMax: number, bytesMin = 0): number => {
    const divisible = Math.min(memoryBytes, (available * 4) / 3);
    return Math.max(whole(Math.min(divisible / part, bytesMax)), bytesMin);
  };
  return {
    messageBytesMax,
    contentBodyBytesMax,
    smtpBytesInFlightMax: share(16, 256 * mebibyte, messageBytesMax),
    mailWorkBytesMax: share(4, 1024 * mebibyte, mailWorkBytesPerByte * messageBytesMax),
    httpBytesInFlightMax: share(8, 256 * mebibyte, contentBodyBytesMax),
    unauthenticatedBytesInFlightMax: share(64, 16 * mebibyte),
    answerBytesInFlightMax: share(8, 256 * mebibyte),
  };
}

/** Rounds down to a multiple of 64 KiB. */
function whole(bytes: number): number {
  return Math.floor(bytes / 65_536) * 65_536;
}
