import type { IndexerCalls, WriterCalls } from "./calls.ts";
import type { IndexSettings } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";
import type { Thread } from "./thread.ts";

/** So many messages in so long a time are a flood, which is let through first, but never gets far ahead. */
const flood = { messageCount: 20, windowMs: 100 };
/** How long the index rests during a flood, in units of what it worked. */
const restsInFlood = { near: 16, far: 2 };
/** So many messages are far: looking at each of them takes a search about a second. */
const farBehindMessageCount = 10_000;
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
  /** Milliseconds, never going back. */
  readonly now: () => number;
  /** Resolves after some time, or at once when the signal comes. */
  readonly rest: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** Drives the indexer's thread whenever there is something to index, and slows it down while messages arrive. */
export class Indexing {
  readonly #parts: IndexingParts;
  readonly #stop = new AbortController();
  #changeCount = 0;
  /** Messages since the window began, and in the one before it. */
  #window = { startedAt: -Infinity, count: 0, countBefore: 0 };
  /** About how many messages the index is behind. */
  #lag = 0;
  #running: Promise<void> | undefined;

  constructor(parts: IndexingParts) {
    this.#parts = parts;
  }

  /** To be called when the store was opened, and after messages were stored. */
  notice(messageCount: number): void {
    const now = this.#parts.now();
    const { startedAt, count } = this.#window;
    const age = now - startedAt;
    if (age >= flood.windowMs) {
      this.#window = { startedAt: now, count: 0, countBefore: age < 2 * flood.windowMs ? count : 0 };
    }
    this.#window.count += messageCount;
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
    const { signal } = this.#stop;
    while (this.#isFlooded() && !this.#isFarBehind && !signal.aborted) await this.#parts.rest(flood.windowMs, signal);
    if (signal.aborted) return;
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
      if (this.#isFlooded()) {
        await this.#parts.rest(tookMs * restsInFlood[this.#isFarBehind ? "far" : "near"], this.#stop.signal);
      }
    }
  }

  #isFlooded(): boolean {
    const { startedAt, count, countBefore } = this.#window;
    const isOver = this.#parts.now() - startedAt > 2 * flood.windowMs;
    return !isOver && Math.max(count, countBefore) >= flood.messageCount;
  }

  get #isFarBehind(): boolean {
    return this.#lag > farBehindMessageCount;
  }
}
