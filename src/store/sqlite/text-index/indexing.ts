import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { IndexerCalls, WriterCalls } from "../threads/calls.ts";
import { IntakeLoad, windowMs } from "./intake-load.ts";
import type { IndexSettings } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";
import type { Thread } from "../../threads/thread.ts";

/** Pause after each step during a flood, in units of the step's duration, unless the index is far behind. */
const floodPauseFactor = 16;
/**
 * Backlog from which the index no longer yields to a flood, so that it indexes at least half as fast as mail arrives:
 * scanning the texts of this many messages takes about a second.
 */
const farBehindMessageCount = 10_000;
/** First pause after a failure, doubled by every further failure in a row. */
const retryMsMin = 1000;
const retryMsMax = 60_000;

/** Dependencies of {@link Indexing}. */
export interface IndexingDependencies {
  readonly settings: IndexSettings;
  /** Starts a thread, which is closed when there is nothing to index, so that its memory is freed. */
  readonly startIndexer: () => Thread<IndexerCalls>;
  readonly writer: Thread<WriterCalls>;
  /** Registry of the task `text_index`. */
  readonly tasks: BackgroundTasks;
  /** Returns the number of unindexed messages of servers that are large enough for an index. */
  readonly countUnindexed: () => number;
  /** Returns whether any server is large enough for an index. */
  readonly isNeeded: () => boolean;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  /** Resolves after a pause, or at once when the signal aborts. */
  readonly pause: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** Runs the indexer thread while there are messages to index, and slows it down while messages arrive. */
export class Indexing {
  readonly #dependencies: IndexingDependencies;
  readonly #stop = new AbortController();
  #changeCount = 0;
  readonly #intake: IntakeLoad;
  /** Approximate number of unindexed messages. */
  #backlog = 0;
  #running: Promise<void> | undefined;
  /** Failures since the last success. */
  #failureCount = 0;
  readonly #task: BackgroundTask;

  constructor(dependencies: IndexingDependencies) {
    this.#dependencies = dependencies;
    this.#intake = new IntakeLoad(dependencies.now);
    this.#task = dependencies.tasks.register("text_index", {
      backlog: () => Math.max(0, this.#backlog),
      degrades: "Searches of subjects and bodies are slow",
    });
  }

  /** Must be called when the store was opened. */
  start(): void {
    this.#backlog = this.#dependencies.countUnindexed();
    this.messagesChanged(Infinity);
  }

  /** Must be called before messages are stored, which {@link messagesStored} then reports. */
  messagesWaiting(): void {
    this.#intake.waiting();
  }

  /** Must be called after messages were stored. */
  messagesStored(messageCount: number): void {
    this.#intake.stored(messageCount);
    this.#backlog += messageCount;
    this.messagesChanged(messageCount);
  }

  /** Must be called after messages were stored or deleted. */
  messagesChanged(messageCount: number): void {
    this.#changeCount += messageCount;
    if (this.#changeCount < this.#dependencies.settings.newMessageCountMin || this.#running !== undefined) return;
    if (this.#stop.signal.aborted) return;
    this.#changeCount = 0;
    if (!this.#dependencies.isNeeded()) return;
    this.#running = this.#runOnce();
  }

  /** Stops indexing; resolves when the thread is closed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#task.end();
  }

  async #runOnce(): Promise<void> {
    // Callers that report messages must not wait for this.
    await Promise.resolve();
    try {
      await this.#run();
    } finally {
      this.#running = undefined;
      this.messagesChanged(0);
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#yields && !signal.aborted) await this.#dependencies.pause(windowMs, signal);
    if (signal.aborted) return;
    const indexer = this.#dependencies.startIndexer();
    let failure: unknown;
    try {
      await this.#runSteps(indexer);
      this.#failureCount = 0;
    } catch (error) {
      failure = error;
    } finally {
      await indexer.close();
    }
    if (failure === undefined) this.#task.succeeded();
    else if (!signal.aborted) await this.#retryLater(failure);
  }

  /** Retries with a growing pause; meanwhile searches stay exact, only slower. */
  async #retryLater(error: unknown): Promise<void> {
    const retryInMs = Math.min(retryMsMax, retryMsMin * 2 ** this.#failureCount);
    this.#failureCount += 1;
    this.#changeCount = Infinity;
    // The error of the thread is more specific than that of its rejected calls.
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    this.#task.failed(reason, retryInMs);
    await this.#dependencies.pause(retryInMs, this.#stop.signal);
  }

  async #runSteps(indexer: Thread<IndexerCalls>): Promise<void> {
    let reply = 0;
    while (!this.#stop.signal.aborted) {
      const { isDone, write, tookMs } = await indexer.call("step", [reply]);
      if (isDone) {
        this.#backlog = 0;
        return;
      }
      reply = write === null ? 0 : await this.#dependencies.writer.call("writeSegment", [write], transferOf(write));
      if (write?.kind === "complete" && write.replaced.length === 0) this.#backlog -= write.outline.size;
      // The messages of a dropped segment are indexed again.
      if (write?.kind === "drop") this.#backlog = this.#dependencies.countUnindexed();
      if (this.#yields) await this.#dependencies.pause(tookMs * floodPauseFactor, this.#stop.signal);
    }
  }

  /** Whether mail goes first. */
  get #yields(): boolean {
    return this.#backlog <= farBehindMessageCount && this.#intake.isFlood;
  }
}
