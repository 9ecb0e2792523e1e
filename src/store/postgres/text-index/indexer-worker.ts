/** Thread that reads texts and builds the text index, over a connection of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { serveCalls, serializeError } from "../../threads/call-protocol.ts";
import { openDatabase } from "../connection/database.ts";
import { Indexer } from "./indexer.ts";
import type { IndexerThreadOptions } from "./indexer-thread.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
const { url, connections, settings } = workerData as IndexerThreadOptions;
const database = openDatabase(url, { ...connections, connectionCountMax: 1 });
const indexer = new Indexer(database, settings);
serveCalls(port, {
  call: ({ parameters }) => indexer.advance(Number(parameters[0])),
  // The thread ends with its last connection.
  close: () => database.close(),
  serialize: (error) => serializeError(innermost(error)),
});

/** Returns the innermost cause, which names what went wrong. */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}
