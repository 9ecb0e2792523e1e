/** Thread that makes the index. It only reads; what is to be written it hands out. */
import { parentPort, workerData } from "node:worker_threads";
import { closeCall } from "../threads/calls.ts";
import type { CallResponse, IndexerSettings, IndexerStep, CallRequest } from "../threads/calls.ts";
import { connectReader } from "../connection/connection.ts";
import { serializeError } from "../connection/errors.ts";
import type { Notice } from "../threads/notices.ts";
import { IndexWork } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";

/** Work done before others may have their turn, unless there is something to write before. */
const stepMs = 25;

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
const { file, index } = workerData as IndexerSettings;
const database = connectReader(file);
// What is indexed is read once, so there is little to keep.
database.exec("pragma cache_size = -1024");
const steps = new IndexWork(database, index, (problem) => {
  const notice: Notice = { kind: "damage", error: serializeError(problem.cause) };
  port.postMessage(notice);
}).run();

port.on("message", (request: CallRequest) => {
  if (request.name === closeCall) {
    database.close();
    answer({ number: request.number });
    port.close();
    return;
  }
  try {
    const result = step(Number(request.parameters[0]));
    answer({ number: request.number, result }, transferOf(result.write));
  } catch (error) {
    answer({ number: request.number, error: serializeError(error) });
  }
});

function step(reply: number): IndexerStep {
  const startedAt = performance.now();
  let next = steps.next(reply);
  while (next.done !== true && next.value === undefined && performance.now() - startedAt < stepMs) next = steps.next(0);
  const tookMs = performance.now() - startedAt;
  return { isDone: next.done === true, write: next.value ?? null, tookMs };
}

function answer(one: CallResponse, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage([one], [...transfer]);
}
