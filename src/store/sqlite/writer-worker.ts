/** Thread that owns the only connection that writes. */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { closeCall } from "./calls.ts";
import type { Answer, Request } from "./calls.ts";
import { connectWriter } from "./connection.ts";
import type { WriterSettings } from "./connection.ts";
import type { Parcel } from "./parcel.ts";
import { Upkeep } from "./upkeep.ts";
import { Writer } from "./writer.ts";

/** Bounds of one commit; what is beyond waits for the next. */
const callCountPerCommit = 256;
const parcelBytesPerCommit = 16 * 1024 * 1024;
/** Under steady load upkeep gets one step in this time, so that it is slowed and never starved. */
const upkeepPauseMs = 40;
/** Pause after upkeep failed, because the medium is full for instance. */
const upkeepRetryMs = 1000;

const port = parentPort;
if (port === null) throw new Error("this file is the body of a worker thread");
const database = connectWriter(workerData as WriterSettings);
const writer = new Writer(database);
const upkeep = new Upkeep(database, writer);
let upkeepDueAt = 0;
let timer: NodeJS.Timeout | undefined;

port.on("message", (first: Request) => {
  let next: Request | undefined = first;
  while (next !== undefined) {
    const batch = gather(next);
    const isLast = batch.at(-1)?.name === closeCall;
    const requests = isLast ? batch.slice(0, -1) : batch;
    if (requests.length > 0) port.postMessage(writer.run(requests));
    // Freed by hand: the collector would let the buffers of many mails pile up.
    for (const request of requests) parcelOf(request)?.bytes.transfer(0);
    if (isLast) {
      close(batch.at(-1));
      return;
    }
    if (performance.now() >= upkeepDueAt) keepUp();
    next = take();
  }
  scheduleUpkeep(0);
});
scheduleUpkeep(0);

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
  return port === null ? undefined : (receiveMessageOnPort(port)?.message as Request | undefined);
}

function parcelOf({ name, parameters }: Request): Parcel | undefined {
  return name === "addMessages" ? (parameters[0] as Parcel) : undefined;
}

/** One step of upkeep; answers after how many milliseconds the next may follow, or undefined when all is done. */
function keepUp(): number | undefined {
  upkeepDueAt = performance.now() + upkeepPauseMs;
  try {
    return upkeep.step() ? 0 : undefined;
  } catch {
    // Nobody waits for this; what is wrong with the medium is told to the next call that writes.
    upkeepDueAt = performance.now() + upkeepRetryMs;
    return upkeepRetryMs;
  }
}

function scheduleUpkeep(delayMs: number): void {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const again = keepUp();
    if (again !== undefined) scheduleUpkeep(again);
  }, delayMs);
}

function close(request: Request | undefined): void {
  clearTimeout(timer);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  const answers: readonly Answer[] = request === undefined ? [] : [{ number: request.number }];
  port?.postMessage(answers);
  port?.close();
}
