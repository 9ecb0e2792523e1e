/** Memory and file descriptors of the process. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.ts";

/**
 * Frees the memory of a buffer at once, if it fills memory of its own; parts of larger memory, such as Node's pool, stay. The
 * garbage collector sees only the small objects of buffers, and would let thousands of them pile up. Nothing may read the
 * buffer, or another view of its memory, afterwards.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength) buffer.transfer(0);
}

/** Returns the concatenation of the chunks, and frees the memory of each after its copy, so that it is held about once. */
export function joinAndFree(chunks: readonly Uint8Array[]): Buffer {
  const joined = Buffer.allocUnsafe(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.byteLength;
    freeMemory(chunk);
  }
  return joined;
}

/** Size of content in bytes from which on a worker collects garbage after a call. */
export const largeWorkBytesMin: number = 4 * 1024 * 1024;

let collect: (() => void) | undefined;

/**
 * Collects the garbage of the calling thread, which waits for it. For workers after large calls, because V8 does not
 * shrink the heap of an idle thread, which may have hundreds of megabytes.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    // The flag applies to contexts created after it is set.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    // V8 compares a hash of all flags with that of cached code, and would reject the cache at the next start.
    setFlagsFromString("--no-expose-gc");
  }
  // Releases the last subject of a regular expression (`RegExp.input`), which may be large.
  /^/.exec("");
  collect();
}

/** Milliseconds from the end of very large work to the collection of its garbage, so that work in quick succession shares one. */
const collectionDelayMs = 200;

/**
 * Returns a function that collects the garbage of the calling thread in a fifth of a second, once for any number of calls until
 * then. For the main thread after very large work: V8 sees only the small objects of buffers, and would keep hundreds of
 * megabytes of mails that were sent or stored until the next large one. A collection takes about 40 ms.
 */
export function createGarbageCollector(clock: Pick<Clock, "after">): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    clock.after(collectionDelayMs, () => {
      isScheduled = false;
      collectGarbage();
    });
  };
}

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

/** Errors of a process, and of a machine, without a free file descriptor (errno(3)). */
const shortageCodes: ReadonlySet<string> = new Set(["EMFILE", "ENFILE"]);

/** Returns whether an error says that file descriptors have run out. */
export function isDescriptorShortage(error: unknown): boolean {
  return error instanceof Error && "code" in error && shortageCodes.has(String(error.code));
}
