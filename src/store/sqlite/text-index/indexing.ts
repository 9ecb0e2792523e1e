import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { IndexerCalls, WriterCalls } from "../threads/calls.ts";
import type { IndexSettings } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";
import type { Thread } from "../threads/thread.ts";

/** So many messages in so long a time are a flood, which is let through first, but never gets far ahead. */
const flood = { messageCount: 20, windowMs: 100 };
/** Pause after each step during a flood, in units of the step's duration, unless the index is far behind. */
const restInFlood = 16;
/**
 * Backlog from which the index no longer yields to a flood, so that it keeps at least half the rate of incoming mail:
 * searching the texts of so many messages takes about a second.
 */
const farBehindMessageCount = 10_000;
/** Pause after the first failure, doubled with each that follows it without a success in between. */
const retryMsMin = 1000;
const retryMsMax = 60_000;

/** Dependencies of {@link Indexing}. */
export interface IndexingParts {
  readonly settings: IndexSettings;
  /** Starts a thread; it is ended when there is nothing to do, so that its memory is given back. */
  readonly startIndexer: () => Thread<IndexerCalls>;
  readonly writer: Thread<WriterCalls>;
  /** Registry that the task `text_index` is reported to. */
  readonly tasks: BackgroundTasks;
  /** Returns the number of messages that are not indexed yet, of the servers that are large enough for an index. */
  readonly countUnindexed: () => number;
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
  /** Failures since the last success. */
  #failureCount = 0;
  readonly #task: BackgroundTask;

  constructor(parts: IndexingParts) {
    this.#parts = parts;
    this.#task = parts.tasks.register("text_index", {
      backlog: () => Math.max(0, this.#lag),
      degrades: "Searches of subjects and bodies are slow",
    });
  }

  /** To be called when the store was opened. */
  start(): void {
    this.#lag = this.#parts.countUnindexed();
    this.count(Infinity);
  }

  /** To be called after messages were stored. */
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
    this.#task.end();
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
    let failure: unknown;
    try {
      await this.#drive(indexer);
      this.#failureCount = 0;
    } catch (error) {
      failure = error;
    } finally {
      await indexer.close();
    }
    if (failure === undefined) this.#task.succeeded();
    else if (!signal.aborted) await this.#retryLater(failure);
  }

  /** Searches stay exact without the index, only slower: what is left of it is tried again, ever less often. */
  async #retryLater(error: unknown): Promise<void> {
    const retryInMs = Math.min(retryMsMax, retryMsMin * 2 ** this.#failureCount);
    this.#failureCount += 1;
    this.#changeCount = Infinity;
    // The thread's own error says more than that its calls were lost.
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    this.#task.failed(reason, retryInMs);
    await this.#parts.rest(retryInMs, this.#stop.signal);
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
      if (this.#isFlooded() && !this.#isFarBehind) await this.#parts.rest(tookMs * restInFlood, this.#stop.signal);
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
