/** Thread that reads texts and builds the text index, over a connection of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../connection/database.ts";
import { Indexer } from "./indexer.ts";
import type { IndexerResponse, IndexerThreadOptions } from "./indexer-thread.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
const { url, connections, settings } = workerData as IndexerThreadOptions;
const database = openDatabase(url, { ...connections, connectionCountMax: 1 });
const indexer = new Indexer(database, settings);

port.on("message", (server: number | null) => {
  if (server === null) {
    // The thread ends with its last connection; a failure to close it changes nothing.
    database.close().then(closePort, closePort);
    return;
  }
  void advance(server);
});

async function advance(server: number): Promise<void> {
  try {
    respond({ isMore: await indexer.advance(server) });
  } catch (error) {
    respond({ failure: reasonOf(error) });
  }
}

function closePort(): void {
  port?.close();
}

function respond(response: IndexerResponse): void {
  port?.postMessage(response);
}

/** Returns the message of the innermost cause, which names what went wrong. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
