import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import { Problem } from "../../../core/errors.ts";
import { closeCall, type CallResponse, type CallRequest } from "../../threads/call-protocol.ts";
import { connectWriter, type WriterSettings } from "../connection/connection.ts";
import { CommitCount } from "../connection/commit-count.ts";
import { isDiskFull, serializeSqliteError } from "../connection/errors.ts";
import { describeLoss, FileNames, identityOf } from "../connection/store-directory.ts";
import { failedRound, succeededRound, type Notify, type WorkerTask } from "./calls.ts";
import type { MessageBatch } from "../messages/message-batch.ts";
import { Reserve, StorageGuard } from "../maintenance/storage-guard.ts";
import { RecentGramWrites } from "../../signatures/recent-grams.ts";
import { Maintenance } from "../maintenance/maintenance.ts";
import { Writer } from "./writer.ts";

/** Bounds of one commit; further calls wait for the next. */
const callCountPerCommit = 256;
const batchBytesPerCommit = 16 * 1024 * 1024;
/**
 * Pause between the starts of two commits after one of several calls, unless `callCountWorthCommit` calls are waiting: a
 * commit costs as much as storing an email, and with several concurrent senders more calls arrive meanwhile. A single
 * sender never waits.
 */
const commitPauseMs = 4;
const callCountWorthCommit = 8;
/** Interval of maintenance steps under load, so that maintenance slows down but never starves. */
const maintenancePauseMs = 40;
/**
 * Interval of checks that files have their names, besides those before and after each commit. Events of `fs.watch` would
 * come with every write.
 */
const nameCheckMs = 1000;
/** First and longest pause after a failed maintenance step. */
const maintenanceRetryMs = 1000;
const maintenanceRetryMsMax = 30_000;

/** Execution of the calls that arrive at a port, over the only read-write connection to a database, until {@link closeCall}. */
export class WriterLoop {
  readonly #port: MessagePort;
  readonly #database: DatabaseSync;
  readonly #notify: Notify;
  readonly #guard: StorageGuard;
  readonly #writer: Writer;
  readonly #maintenance: Maintenance;
  readonly #commitCount: CommitCount | null;
  /** Maintenance tasks whose last round failed, with the pause before the next. */
  readonly #retryMs = new Map<WorkerTask, number>();
  /** Calls waiting for the next commit. */
  readonly #waiting: CallRequest[] = [];
  #commitDueAt = 0;
  #commitTimer: NodeJS.Timeout | undefined;
  #maintenanceDueAt = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #names: FileNames;
  #nameTimer: NodeJS.Timeout | undefined;
  /** File that lost its name; calls are rejected until it has it again. */
  #lost: string | undefined;

  /** Opens the database. Throws when it cannot be opened. */
  constructor(port: MessagePort, settings: WriterSettings) {
    this.#port = port;
    const { file, identity = identityOf(file) } = settings;
    // Before it is opened, which would create it.
    const lost = identity === undefined ? `there is no database at ${file}` : describeLoss(file, identity);
    if (identity === undefined || lost !== undefined) throw new Error(lost);
    this.#database = connectWriter(settings);
    this.#notify = (notice) => {
      port.postMessage(notice);
    };
    // Stores that are not durable, or bounded in size, keep no reserve.
    const hasReserve = settings.durable && settings.sizeBytesMax === null;
    const reserve = hasReserve ? new Reserve(path.dirname(settings.file)) : null;
    this.#guard = new StorageGuard(this.#database, reserve, this.#notify);
    const { durable, quota, recentGrams } = settings;
    this.#commitCount = durable ? new CommitCount(this.#database, file) : null;
    const recent = new RecentGramWrites(recentGrams);
    this.#writer = new Writer(this.#database, this.#guard, { quota, commitCount: this.#commitCount, recent });
    this.#maintenance = new Maintenance(this.#database, this.#writer, this.#guard);
    this.#names = new FileNames(file, identity);
  }

  /** Begins to execute calls, and maintenance between them. */
  start(): void {
    this.#port.on("message", (request: CallRequest) => {
      this.#receive(request);
    });
    this.#nameTimer = setInterval(() => this.#checkNames(), nameCheckMs).unref();
    this.#scheduleMaintenance(0);
  }

  #receive(request: CallRequest): void {
    this.#waiting.push(request);
    const pauseMs = this.#commitDueAt - performance.now();
    if (pauseMs <= 0 || this.#waiting.length >= callCountWorthCommit || request.name === closeCall) this.#executeAll();
    else {
      this.#commitTimer ??= setTimeout(() => {
        this.#executeAll();
      }, pauseMs);
    }
  }

  #executeAll(): void {
    clearTimeout(this.#commitTimer);
    this.#commitTimer = undefined;
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const startedAt = performance.now();
      const batch = this.#gather(next);
      const last = batch.at(-1)?.name === closeCall ? batch.at(-1) : undefined;
      const requests = last === undefined ? batch : batch.slice(0, -1);
      this.#commit(requests);
      this.#commitDueAt = requests.length > 1 ? startedAt + commitPauseMs : 0;
      if (last !== undefined) {
        this.#close(last);
        return;
      }
      if (performance.now() >= this.#maintenanceDueAt) this.#runMaintenance();
      if (this.#commitDueAt > performance.now() && this.#waiting.length === 0) break;
    }
    this.#scheduleMaintenance(Math.max(0, this.#maintenanceDueAt - performance.now()));
  }

  #commit(requests: readonly CallRequest[]): void {
    if (requests.length > 0) this.#port.postMessage(this.#run(requests));
    // Freed explicitly: the garbage collector would let the buffers of many emails accumulate.
    for (const request of requests) batchOf(request)?.bytes.transfer(0);
  }

  /** Executes calls; rejects them when a file lost its name before or during the commit, which may not outlive the process. */
  #run(requests: readonly CallRequest[]): readonly CallResponse[] {
    if (this.#checkNames()) {
      const responses = this.#writer.run(requests);
      this.#commitCount?.save();
      if (this.#checkNames()) return responses;
    }
    const error = serializeSqliteError(new Problem("unavailable", { cause: new Error(this.#lost) }));
    return requests.map(({ number }) => ({ number, error }));
  }

  /** Returns whether all files have their names; reports a change. */
  #checkNames(): boolean {
    const lost = this.#names.findLost();
    if (lost !== this.#lost) {
      this.#lost = lost;
      this.#notify({ kind: "files", lost: lost ?? null });
      if (lost !== undefined) this.#saveLog();
    }
    return lost === undefined;
  }

  /** Copies the log into the database, which keeps what was committed when only the log or its index lost its name. */
  #saveLog(): void {
    try {
      this.#database.exec("pragma wal_checkpoint(passive)");
    } catch (error) {
      this.#notify(failedRound("upkeep", error, 0));
    }
  }

  /** Returns the calls of one commit: the given one and those queued after it. */
  #gather(first: CallRequest): readonly CallRequest[] {
    const batch = [first];
    let bytes = batchOf(first)?.bytes.byteLength ?? 0;
    while (batch.length < callCountPerCommit && bytes < batchBytesPerCommit && batch.at(-1)?.name !== closeCall) {
      const next = this.#take();
      if (next === undefined) break;
      batch.push(next);
      bytes += batchOf(next)?.bytes.byteLength ?? 0;
    }
    return batch;
  }

  #take(): CallRequest | undefined {
    return this.#waiting.shift() ?? (receiveMessageOnPort(this.#port)?.message as CallRequest | undefined);
  }

  /** Runs one maintenance step; returns the pause in milliseconds before the next, undefined when nothing is left. */
  #runMaintenance(): number | undefined {
    this.#maintenanceDueAt = performance.now() + maintenancePauseMs;
    if (this.#lost !== undefined) return maintenanceRetryMs;
    try {
      const hasMore = this.#maintenance.step();
      this.#reportSuccess(this.#maintenance.task);
      if (hasMore) return 0;
      return this.#guard.isFull ? maintenanceRetryMs : undefined;
    } catch (error) {
      const pauseMs = this.#reportFailure(this.#maintenance.task, error);
      this.#maintenanceDueAt = performance.now() + pauseMs;
      return pauseMs;
    }
  }

  #reportSuccess(task: WorkerTask): void {
    if (this.#retryMs.delete(task)) this.#notify(succeededRound(task));
  }

  /** Returns the pause before the next attempt, which doubles with every failure. */
  #reportFailure(task: WorkerTask, error: unknown): number {
    const pauseMs = Math.min(maintenanceRetryMsMax, (this.#retryMs.get(task) ?? maintenanceRetryMs / 2) * 2);
    this.#retryMs.set(task, pauseMs);
    this.#notify(failedRound(task, error, pauseMs));
    if (!this.#guard.noticeFailure(error) && !isDiskFull(error)) this.#maintenance.avoidFailure();
    return pauseMs;
  }

  #scheduleMaintenance(delayMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const again = this.#runMaintenance();
      if (again !== undefined) this.#scheduleMaintenance(again);
    }, delayMs);
  }

  #close(request: CallRequest): void {
    clearTimeout(this.#timer);
    clearInterval(this.#nameTimer);
    try {
      this.#database.exec("pragma wal_checkpoint(truncate)");
    } catch (error) {
      this.#notify(failedRound("upkeep", error, 0));
    }
    this.#database.close();
    this.#commitCount?.close();
    const responses: readonly CallResponse[] = [{ number: request.number }];
    this.#port.postMessage(responses);
    this.#port.close();
  }
}

function batchOf({ name, parameters }: CallRequest): MessageBatch | undefined {
  return name === "addMessages" ? (parameters[0] as MessageBatch) : undefined;
}
