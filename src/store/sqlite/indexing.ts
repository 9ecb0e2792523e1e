import type { IndexerCalls, WriterCalls } from "./calls.ts";
import type { IndexSettings } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";
import type { Thread } from "./thread.ts";

/** For so long after messages came the index gives way to more of them. */
const arrivalMs = 100;
/** How long it then rests, in units of what it worked: a flood is let through first, but never gets far ahead. */
const restsWhileArriving = { near: 8, far: 2 };
/** So many messages are far ahead: looking at each of them takes a search some tenths of a second. */
const farAheadMessageCount = 10_000;
/** Pause after something failed, because the medium is full for instance; work is lost each time it fails again. */
const retryMs = 30_000;

/** What keeps the index going. */
export interface IndexingParts {
  readonly settings: IndexSettings;
  /** Starts a thread; it is ended when there is nothing to do, so that its memory is given back. */
  readonly startIndexer: () => Thread<IndexerCalls>;
  readonly writer: Thread<WriterCalls>;
  /** Whether any server is large enough for an index. */
  readonly isWanted: () => boolean;
  /** Resolves after some time, or at once when the signal comes. */
  readonly rest: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** Drives the indexer's thread whenever there is something to index, and slows it down while messages arrive. */
export class Indexing {
  readonly #parts: IndexingParts;
  readonly #stop = new AbortController();
  #changeCount = 0;
  #arrivedAt = -Infinity;
  /** About how many messages the index is behind. */
  #lag = 0;
  #running: Promise<void> | undefined;

  constructor(parts: IndexingParts) {
    this.#parts = parts;
  }

  /** To be called when the store was opened, and after messages were stored. */
  notice(messageCount: number): void {
    this.#arrivedAt = performance.now();
    this.#lag += messageCount;
    this.count(messageCount);
  }

  /** To be called after so many messages came or went. */
  count(messageCount: number): void {
    this.#changeCount += messageCount;
    if (this.#changeCount < this.#parts.settings.newMessageCountMin || this.#running !== undefined) return;
    if (this.#stop.signal.aborted) return;
    this.#changeCount = 0;
    if (!this.#parts.isWanted()) return;
    this.#running = this.#runOnce();
  }

  /** Resolves when nothing is going on any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #runOnce(): Promise<void> {
    // Whoever counts messages waits for nothing of this.
    await Promise.resolve();
    try {
      await this.#run();
    } finally {
      this.#running = undefined;
      this.count(0);
    }
  }

  async #run(): Promise<void> {
    const indexer = this.#parts.startIndexer();
    try {
      await this.#drive(indexer);
    } catch {
      // Searches stay exact without the index; what is wrong with the medium is told to the next call that writes.
      this.#changeCount = Infinity;
      await this.#parts.rest(retryMs, this.#stop.signal);
    } finally {
      await indexer.close();
    }
  }

  async #drive(indexer: Thread<IndexerCalls>): Promise<void> {
    let reply = 0;
    while (!this.#stop.signal.aborted) {
      const { isDone, write, tookMs } = await indexer.call("step", [reply]);
      if (isDone) {
        this.#lag = 0;
        return;
      }
      reply = write === null ? 0 : await this.#parts.writer.call("writeSegment", [write], transferOf(write));
      if (write?.kind === "complete" && write.replaced.length === 0) this.#lag -= write.outline.size;
      if (performance.now() - this.#arrivedAt < arrivalMs) await this.#rest(tookMs);
    }
  }

  async #rest(tookMs: number): Promise<void> {
    const { near, far } = restsWhileArriving;
    await this.#parts.rest(tookMs * (this.#lag > farAheadMessageCount ? far : near), this.#stop.signal);
  }
}
