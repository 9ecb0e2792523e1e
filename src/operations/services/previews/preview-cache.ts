import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";

/** Size of the cache in bytes; the least recently used preview is evicted first. */
const keptBytesMax = 64 * 1024 * 1024;
/** Milliseconds before a failed preview is rendered again, so that polling and hostile mails cost little. */
const failedMsKept = 60_000;

/** Cache of rendered previews and of those in progress. */
export interface PreviewCache {
  /** Returns the preview, rendered by `make` unless it is cached or in progress. Rejects as `make` does; caches a failure for a minute. */
  get(id: string, make: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Returns whether {@link get} returns at once. */
  isReady(id: string): boolean;
  /** Removes a preview. */
  forget(id: string): void;
}

interface Entry {
  readonly made: Promise<Uint8Array>;
  /** 0 while rendering is in progress. */
  sizeBytes: number;
}

/** Creates an empty cache. Every evicted preview can be rendered again from its message. */
export function createPreviewCache(clock: Pick<Clock, "after">, bytesMax: number = keptBytesMax): PreviewCache {
  const entries = new Map<string, Entry>();
  let keptBytes = 0;

  const forget = (id: string): void => {
    keptBytes -= entries.get(id)?.sizeBytes ?? 0;
    entries.delete(id);
  };
  const keep = (id: string, entry: Entry, { byteLength }: Uint8Array): void => {
    if (entries.get(id) !== entry) return;
    entry.sizeBytes = byteLength;
    keptBytes += byteLength;
    for (const [oldest, { sizeBytes }] of entries) {
      if (keptBytes <= bytesMax) return;
      if (sizeBytes > 0) forget(oldest);
    }
  };
  const settle = async (id: string, entry: Entry): Promise<void> => {
    try {
      keep(id, entry, await entry.made);
    } catch (error) {
      // Callers of `get` receive the rejection. A rejection with Retry-After does not depend on the mail.
      if (error instanceof Problem && error.retryAfterSeconds !== null) {
        if (entries.get(id) === entry) forget(id);
        return;
      }
      clock.after(failedMsKept, () => {
        if (entries.get(id) === entry) forget(id);
      });
    }
  };
  const start = (id: string, make: () => Promise<Uint8Array>): Entry => {
    const entry: Entry = { made: make(), sizeBytes: 0 };
    void settle(id, entry);
    return entry;
  };
  return {
    get(id, make) {
      const entry = entries.get(id) ?? start(id, make);
      // Moves the preview to the end of the insertion order: it was used last.
      entries.delete(id);
      entries.set(id, entry);
      return entry.made;
    },
    isReady: (id) => (entries.get(id)?.sizeBytes ?? 0) > 0,
    forget,
  };
}
