/** Calls of the threads of a store, and their one-way messages. */
import type { FoundMessages } from "../../mark-store.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Page } from "../../../core/criteria.ts";
import type { SearchRequest } from "../search/search.ts";
import type { ExpiryRule, InsertOptions, InsertOutcome, SummaryPage } from "../../store.ts";
import type { RecordReaderCalls, RecordWriterCalls } from "../account/record-stores.ts";
import type { IndexSettings, IndexStep } from "../text-index/index-work.ts";
import type { MessageBatch } from "../messages/message-batch.ts";
import type { SegmentWrite } from "../text-index/segment-writes.ts";
import type { SerializedError } from "../../threads/call-protocol.ts";
import { serializeSqliteError } from "../connection/errors.ts";

/** Calls of the writer thread; each runs inside its transaction. */
export interface WriterCalls extends RecordWriterCalls {
  addMessages(batch: MessageBatch, insertOptions: InsertOptions): readonly InsertOutcome[];
  /** Implements `replaceMessage` of the store's contract for the one message of a batch. */
  replaceMessage(batch: MessageBatch): number | undefined;
  deleteMessage(id: MessageId): number | undefined;
  expireMessages(server: ServerId, rule: ExpiryRule): number;
  /** Executes `SegmentWrites.perform`. */
  writeSegment(write: SegmentWrite): number;
  /** Does nothing; resolves when the thread is running. */
  ready(): void;
  /** Checks that new rows can be written. */
  probe(): void;
}

/** Calls of the reader thread: all reads that could block the thread that holds the sockets. */
export interface ReaderCalls extends RecordReaderCalls {
  list(server: ServerId, page: Page): SummaryPage;
  /** `number` identifies the search for {@link cancelSearch}. */
  search(request: SearchRequest, number: number): SummaryPage | FoundMessages;
  /** Cancels a search, which rejects with `unavailable`; does nothing when it has already finished. */
  cancelSearch(number: number): void;
  /** Returns the number of unindexed messages of servers that are large enough for an index. */
  indexBacklog(): number;
}

/** `workerData` of the reader and indexer threads. */
export interface IndexerSettings {
  readonly file: string;
  readonly index: IndexSettings;
  /** That of the writer's settings. */
  readonly recentGrams?: SharedArrayBuffer;
}

/** Result of one step of the indexer, and its duration. */
export interface IndexerStep {
  readonly isDone: boolean;
  readonly write: Exclude<IndexStep, undefined> | null;
  readonly tookMs: number;
}

/** Calls of the indexer thread. */
export interface IndexerCalls {
  /** Executes the next step; `reply` is the writer's result for the write that the previous step returned, if any. */
  step(reply: number): IndexerStep;
}

/**
 * One-way message of a worker.
 * - `damage`: a read found a row that has changed on the disk.
 * - `round`: a background task of the worker finished a round; `error` is null when it succeeded.
 * - `storage`: the disk became full, or has space again.
 * - `files`: a file of the store lost its name, or all have their names again, with null.
 */
export type Notice =
  | { readonly kind: "damage"; readonly error: SerializedError }
  | {
      readonly kind: "round";
      readonly task: WorkerTask;
      readonly error: SerializedError | null;
      readonly retryInMs: number | null;
    }
  | { readonly kind: "storage"; readonly isFull: boolean }
  | { readonly kind: "files"; readonly lost: string | null };

/** Background task that runs in a worker thread. */
export type WorkerTask = "purge" | "upkeep";

/** Sends a notice from a worker thread. */
export type Notify = (notice: Notice) => void;

/** Creates the notice of a failed round. */
export function failedRound(task: WorkerTask, error: unknown, retryInMs: number): Notice {
  return { kind: "round", task, error: serializeSqliteError(error), retryInMs };
}

/** Creates the notice of a successful round. */
export function succeededRound(task: WorkerTask): Notice {
  return { kind: "round", task, error: null, retryInMs: null };
}
