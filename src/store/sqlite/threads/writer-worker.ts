/** Thread that owns the only read-write connection. */
import { parentPort, workerData } from "node:worker_threads";
import { readWriterSettings } from "./early-writer.ts";
import { WriterLoop } from "./writer-loop.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
new WriterLoop(port, readWriterSettings(port, workerData)).start();
