/** Thread for reads that may take long. */
import { parentPort, workerData } from "node:worker_threads";
import type { IndexerSettings } from "./calls.ts";
import { ReaderLoop } from "./reader-loop.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
new ReaderLoop(port, workerData as IndexerSettings).start();
