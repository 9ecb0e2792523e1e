/** Thread that builds the text index. */
import { parentPort, workerData } from "node:worker_threads";
import type { IndexerSettings } from "../threads/calls.ts";
import { runIndexer } from "./indexer-loop.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
runIndexer(port, workerData as IndexerSettings);
