/** Thread that owns the only connection that writes. */
import path from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { closeCall } from "./calls.ts";
import type { Answer, Request } from "./calls.ts";
import { connectWriter } from "../connection/connection.ts";
import type { WriterSettings } from "../connection/connection.ts";
import { isMediumFull } from "../connection/errors.ts";
import { failedRound, goodRound } from "./notices.ts";
import type { Notify, WorkerTask } from "./notices.ts";
import type { Parcel } from "../messages/message-batch.ts";
import { Reserve } from "../maintenance/reserve.ts";
import { StorageGuard } from "../maintenance/storage-guard.ts";
import { Upkeep } from "../maintenance/maintenance.ts";
import { Writer } from "./writer.ts";

/** Bounds of one commit; what is beyond waits for the next. */
const callCountPerCommit = 256;
const parcelBytesPerCommit = 16 * 1024 * 1024;
/**
 * After a commit of several calls the next one begins no sooner than so long after it, unless so many calls wait: one
 * commit costs as much as storing a mail, and where several send at the same time more of them are on their way. Whoever
 * sends alone never waits.
 */
const commitPauseMs = 4;
const callCountWorthCommit = 8;
/** Under steady load upkeep gets one step in this time, so that it is slowed and never starved. */
const upkeepPauseMs = 40;
/** Pauses after upkeep failed: the first, and the longest. */
const upkeepRetryMs = 1000;
const upkeepRetryMsMax = 30_000;

const port = parentPort;
if (port === null) throw new Error("this file is the body of a worker thread");
const settings = workerData as WriterSettings;
const database = connectWriter(settings);
const notify: Notify = (notice) => {
  port.postMessage(notice);
};
/** Stores whose loss costs nothing, or whose size is bounded otherwise, keep no reserve. */
const hasReserve = settings.durable && settings.sizeBytesMax === null;
const guard = new StorageGuard(database, hasReserve ? new Reserve(path.dirname(settings.file)) : null, notify);
const writer = new Writer(database, guard, settings.quota);
const upkeep = new Upkeep(database, writer, guard);
/** Parts of upkeep whose last round failed, with the pause before the next. */
const retryMs = new Map<WorkerTask, number>();
/** Calls that wait for the next commit. */
const waiting: Request[] = [];
let commitDueAt = 0;
let commitTimer: NodeJS.Timeout | undefined;
let upkeepDueAt = 0;
let timer: NodeJS.Timeout | undefined;

port.on("message", (request: Request) => {
  waiting.push(request);
  const pauseMs = commitDueAt - performance.now();
  if (pauseMs <= 0 || waiting.length >= callCountWorthCommit || request.name === closeCall) answerAll();
  else commitTimer ??= setTimeout(answerAll, pauseMs);
});
scheduleUpkeep(0);

function answerAll(): void {
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
    if (performance.now() >= upkeepDueAt) keepUp();
    if (commitDueAt > performance.now() && waiting.length === 0) break;
  }
  scheduleUpkeep(0);
}

function commit(requests: readonly Request[]): void {
  if (requests.length > 0) port?.postMessage(writer.run(requests));
  // Freed by hand: the collector would let the buffers of many mails pile up.
  for (const request of requests) parcelOf(request)?.bytes.transfer(0);
}

/** The calls of one commit: the given one and what has queued up behind it. */
function gather(first: Request): readonly Request[] {
  const batch = [first];
  let bytes = parcelOf(first)?.bytes.byteLength ?? 0;
  while (batch.length < callCountPerCommit && bytes < parcelBytesPerCommit && batch.at(-1)?.name !== closeCall) {
    const next = take();
    if (next === undefined) break;
    batch.push(next);
    bytes += parcelOf(next)?.bytes.byteLength ?? 0;
  }
  return batch;
}

function take(): Request | undefined {
  return waiting.shift() ?? (port === null ? undefined : (receiveMessageOnPort(port)?.message as Request | undefined));
}

function parcelOf({ name, parameters }: Request): Parcel | undefined {
  return name === "addMessages" ? (parameters[0] as Parcel) : undefined;
}

/** One step of upkeep; answers after how many milliseconds the next may follow, or undefined when all is done. */
function keepUp(): number | undefined {
  upkeepDueAt = performance.now() + upkeepPauseMs;
  try {
    const hasMore = upkeep.step();
    reportSuccess(upkeep.part);
    if (hasMore) return 0;
    return guard.isFull ? upkeepRetryMs : undefined;
  } catch (error) {
    const pauseMs = reportFailure(upkeep.part, error);
    upkeepDueAt = performance.now() + pauseMs;
    return pauseMs;
  }
}

function reportSuccess(part: WorkerTask): void {
  if (retryMs.delete(part)) notify(goodRound(part));
}

/** Answers the pause before the next attempt: it doubles with every failure. */
function reportFailure(part: WorkerTask, error: unknown): number {
  const pauseMs = Math.min(upkeepRetryMsMax, (retryMs.get(part) ?? upkeepRetryMs / 2) * 2);
  retryMs.set(part, pauseMs);
  notify(failedRound(part, error, pauseMs));
  if (!guard.noticeFailure(error) && !isMediumFull(error)) upkeep.avoidFailure();
  return pauseMs;
}

function scheduleUpkeep(delayMs: number): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const again = keepUp();
    if (again !== undefined) scheduleUpkeep(again);
  }, delayMs);
}

function close(request: Request): void {
  clearTimeout(timer);
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch (error) {
    notify(failedRound("upkeep", error, 0));
  }
  database.close();
  const answers: readonly Answer[] = [{ number: request.number }];
  port?.postMessage(answers);
  port?.close();
}
