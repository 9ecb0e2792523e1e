import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";

/** Bytes of finished previews that are kept; those that nobody has asked for longest go first. */
const keptBytesMax = 64 * 1024 * 1024;
/** How long a preview that failed is not tried again: pollers hear of it, and a mail made to fail costs little. */
const failedMsKept = 60_000;

/** Previews that are ready, and those under way. */
export interface PreviewCache {
  /** The preview, made by `make` unless it is there or under way; rejects as `make` does, also again within a minute. */
  get(id: string, make: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Whether {@link get} would answer at once. */
  isReady(id: string): boolean;
  /** Forgets a preview. */
  forget(id: string): void;
}

interface Entry {
  readonly made: Promise<Uint8Array>;
  /** 0 while it is under way. */
  sizeBytes: number;
}

/** An empty desk. Nothing on it is lost for good: every preview can be made anew from its message. */
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
      // Callers of `get` receive the rejection. One that asks to retry later says nothing about the mail.
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
      // Behind all others: it is the one that was asked for last.
      entries.delete(id);
      entries.set(id, entry);
      return entry.made;
    },
    isReady: (id) => (entries.get(id)?.sizeBytes ?? 0) > 0,
    forget,
  };
}
