import type { MessagePort } from "node:worker_threads";
import { serveCalls } from "../../threads/call-protocol.ts";
import type { IndexerSettings, IndexerStep, Notice } from "../threads/calls.ts";
import { connectReader } from "../connection/connection.ts";
import { serializeSqliteError } from "../connection/errors.ts";
import { IndexWork } from "./index-work.ts";
import { transferOf } from "./segment-writes.ts";

/** Duration of a step that yields no write. */
const stepMs = 25;

/**
 * Executes the steps of the text index that a port asks for, over a read-only connection to a database. The writer thread
 * executes the writes. Throws when the database cannot be opened.
 */
export function runIndexer(port: MessagePort, { file, index }: IndexerSettings): void {
  const database = connectReader(file);
  // Messages are read once, so that a small cache is enough.
  database.exec("pragma cache_size = -1024");
  const steps = new IndexWork(database, index, (problem) => {
    const notice: Notice = { kind: "damage", error: serializeSqliteError(problem.cause) };
    port.postMessage(notice);
  }).run();
  serveCalls(port, {
    call: ({ parameters }) => step(steps, Number(parameters[0])),
    transfer: (result) => transferOf((result as IndexerStep).write),
    close: () => {
      database.close();
    },
    serialize: serializeSqliteError,
  });
}

function step(steps: ReturnType<IndexWork["run"]>, reply: number): IndexerStep {
  const startedAt = performance.now();
  let next = steps.next(reply);
  while (next.done !== true && next.value === undefined && performance.now() - startedAt < stepMs) next = steps.next(0);
  const tookMs = performance.now() - startedAt;
  return { isDone: next.done === true, write: next.value ?? null, tookMs };
}
