import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import type { AccessibilityAudit } from "../../../core/lint.ts";
import type { ComparedScreenshot, ScreenshotComparison } from "../../../previews/compare-screenshot.ts";
import type { EmailClient } from "../../../previews/email-client.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";

/** Loads the raw mail. */
type MailSource = () => Promise<Uint8Array>;

/** Renders mails in a sandboxed browser, one at a time; the keys of callers are served round-robin. */
export interface MailRenderer {
  /** Returns what is missing for rendering and how to get it, in a sentence; null when nothing is. */
  problem(): Promise<string | null>;
  /**
   * Returns a PNG of the mail as the email client renders it. Rejects with `unavailable` when it fails, takes too long, or too
   * many wait; with `too_many_requests` when too many of the caller's key wait; as `source` does.
   */
  render(source: MailSource, client: EmailClient, caller: WorkerCaller): Promise<Uint8Array>;
  /** Returns the masked screenshot, compared; null for a baseline that is no readable PNG. Rejects as `render` does. */
  compare(
    source: MailSource,
    request: { readonly client: EmailClient; readonly comparison: ScreenshotComparison },
    caller: WorkerCaller,
  ): Promise<ComparedScreenshot | null>;
  /** Returns the findings of axe-core on the rendered mail. Rejects as `render` does. */
  audit(source: MailSource, caller: WorkerCaller): Promise<AccessibilityAudit>;
  close(): Promise<void>;
}

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
