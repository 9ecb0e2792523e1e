/** Kinds of bytes that are held until the work on them is done. */
export type MemoryKind = "smtp_mails" | "mail_work" | "http_requests" | "http_unauthenticated" | "http_responses";

/** Receives what memory budgets hold and when they refuse work; its methods return at once and never throw. */
export interface MemoryObserver {
  /** Adds a budget, whose bytes in use `read` returns. Several budgets of one kind are added up. */
  readonly watch: (kind: MemoryKind, read: () => number) => void;
  /** Reports that a budget has begun to refuse work, or no longer does. */
  readonly changed: (kind: MemoryKind, isExhausted: boolean) => void;
}

/** Observer that does nothing. */
export const unobservedMemory: MemoryObserver = { watch: () => undefined, changed: () => undefined };

let lastBytes = 0;

/**
 * Returns the resident memory of the process in bytes; the last value while no file descriptor is free, because the system
 * tells it in a file. 0 when there is none yet.
 */
export function residentBytes(read: () => number = () => process.memoryUsage.rss()): number {
  try {
    lastBytes = read();
  } catch {
    // Descriptors have run out, which their watch reports; metrics have to be readable then.
  }
  return lastBytes;
}
