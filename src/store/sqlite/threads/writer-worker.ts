/** Thread that owns the only read-write connection. */
import path from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { closeCall, type CallResponse, type CallRequest } from "./call-protocol.ts";
import { connectWriter } from "../connection/connection.ts";
import { isDiskFull } from "../connection/errors.ts";
import { failedRound, succeededRound } from "./notices.ts";
import type { Notify, WorkerTask } from "./notices.ts";
import { HeapBound } from "../messages/heap-bound.ts";
import type { MessageBatch } from "../messages/message-batch.ts";
import { Reserve } from "../maintenance/reserve.ts";
import { StorageGuard } from "../maintenance/storage-guard.ts";
import { Maintenance } from "../maintenance/maintenance.ts";
import { readWriterSettings } from "./early-writer.ts";
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
/** First and longest pause after a failed maintenance step. */
const maintenanceRetryMs = 1000;
const maintenanceRetryMsMax = 30_000;

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
const settings = readWriterSettings(port, workerData);
const database = connectWriter(settings);
const notify: Notify = (notice) => {
  port.postMessage(notice);
};
/** Stores that are not durable, or bounded in size, keep no reserve. */
const hasReserve = settings.durable && settings.sizeBytesMax === null;
const guard = new StorageGuard(database, hasReserve ? new Reserve(path.dirname(settings.file)) : null, notify);
const writer = new Writer(database, guard, settings.quota);
const maintenance = new Maintenance(database, writer, guard);
/** Maintenance tasks whose last round failed, with the pause before the next. */
const retryMs = new Map<WorkerTask, number>();
/** Old generation of this thread: live are 5 MiB. */
const heap = new HeapBound(8 * 1024 * 1024);
/** Calls waiting for the next commit. */
const waiting: CallRequest[] = [];
let commitDueAt = 0;
let commitTimer: NodeJS.Timeout | undefined;
let maintenanceDueAt = 0;
let timer: NodeJS.Timeout | undefined;

port.on("message", (request: CallRequest) => {
  waiting.push(request);
  const pauseMs = commitDueAt - performance.now();
  if (pauseMs <= 0 || waiting.length >= callCountWorthCommit || request.name === closeCall) executeAll();
  else commitTimer ??= setTimeout(executeAll, pauseMs);
});
scheduleMaintenance(0);

function executeAll(): void {
  clearTimeout(commitTimer);
  commitTimer = undefined;
  for (let next = take(); next !== undefined; next = take()) {
    const startedAt = performance.now();
    const batch = gather(next);
    const last = batch.at(-1)?.name === closeCall ? batch.at(-1) : undefined;
    const requests = last === undefined ? batch : batch.slice(0, -1);
    commit(requests);
    commitDueAt = requests.length > 1 ? startedAt + commitPauseMs : 0;
    if (last !== undefined) {
      close(last);
      return;
    }
    if (performance.now() >= maintenanceDueAt) runMaintenance();
    if (commitDueAt > performance.now() && waiting.length === 0) break;
  }
  scheduleMaintenance(0);
}

function commit(requests: readonly CallRequest[]): void {
  if (requests.length > 0) port?.postMessage(writer.run(requests));
  // Freed explicitly: the garbage collector would let the buffers of many emails accumulate.
  let messageCount = 0;
  for (const request of requests) {
    const batch = batchOf(request);
    batch?.bytes.transfer(0);
    messageCount += batch?.headers.length ?? 0;
  }
  heap.messagesStored(messageCount);
}

/** Returns the calls of one commit: the given one and those queued after it. */
function gather(first: CallRequest): readonly CallRequest[] {
  const batch = [first];
  let bytes = batchOf(first)?.bytes.byteLength ?? 0;
  while (batch.length < callCountPerCommit && bytes < batchBytesPerCommit && batch.at(-1)?.name !== closeCall) {
    const next = take();
    if (next === undefined) break;
    batch.push(next);
    bytes += batchOf(next)?.bytes.byteLength ?? 0;
  }
  return batch;
}

function take(): CallRequest | undefined {
  return (
    waiting.shift() ?? (port === null ? undefined : (receiveMessageOnPort(port)?.message as CallRequest | undefined))
  );
}

function batchOf({ name, parameters }: CallRequest): MessageBatch | undefined {
  return name === "addMessages" ? (parameters[0] as MessageBatch) : undefined;
}

/** Runs one maintenance step; returns the pause in milliseconds before the next, undefined when nothing is left. */
function runMaintenance(): number | undefined {
  maintenanceDueAt = performance.now() + maintenancePauseMs;
  try {
    const hasMore = maintenance.step();
    reportSuccess(maintenance.task);
    if (hasMore) return 0;
    return guard.isFull ? maintenanceRetryMs : undefined;
  } catch (error) {
    const pauseMs = reportFailure(maintenance.task, error);
    maintenanceDueAt = performance.now() + pauseMs;
    return pauseMs;
  }
}

function reportSuccess(task: WorkerTask): void {
  if (retryMs.delete(task)) notify(succeededRound(task));
}

/** Returns the pause before the next attempt, which doubles with every failure. */
function reportFailure(task: WorkerTask, error: unknown): number {
  const pauseMs = Math.min(maintenanceRetryMsMax, (retryMs.get(task) ?? maintenanceRetryMs / 2) * 2);
  retryMs.set(task, pauseMs);
  notify(failedRound(task, error, pauseMs));
  if (!guard.noticeFailure(error) && !isDiskFull(error)) maintenance.avoidFailure();
  return pauseMs;
}

function scheduleMaintenance(delayMs: number): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const again = runMaintenance();
    if (again !== undefined) scheduleMaintenance(again);
  }, delayMs);
}

function close(request: CallRequest): void {
  clearTimeout(timer);
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch (error) {
    notify(failedRound("upkeep", error, 0));
  }
  database.close();
  const responses: readonly CallResponse[] = [{ number: request.number }];
  port?.postMessage(responses);
  port?.close();
}
