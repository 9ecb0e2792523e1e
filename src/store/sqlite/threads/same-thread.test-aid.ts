/** Threads of the SQLite store that run in the thread of a test. */
import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort, type Transferable } from "node:worker_threads";
import type { ThreadStarters } from "../open.ts";
import { runIndexer } from "../text-index/indexer-loop.ts";
import { ReaderLoop } from "./reader-loop.ts";
import type { StartedThread } from "../../threads/thread.ts";
import { WriterLoop } from "./writer-loop.ts";

/**
 * Threads of a store for tests that are not about threads, exits and limits of memory: they run the modules of the worker
 * threads in the thread of the test, and exchange the same messages over a port. To start a thread takes 40 ms of CPU time.
 */
export const sameThread: ThreadStarters = {
  writer: (settings) => new SameThread((port) => new WriterLoop(port, settings).start()),
  reader: (settings) => new SameThread((port) => new ReaderLoop(port, settings).start()),
  indexer: (settings) => new SameThread((port) => runIndexer(port, settings)),
};

class SameThread extends EventEmitter implements StartedThread {
  readonly #port: MessagePort;

  constructor(run: (port: MessagePort) => void) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (message) => this.emit("message", message));
    port1.on("close", () => this.emit("exit", 0));
    try {
      run(port2);
    } catch (error) {
      // Listeners are added by the caller.
      setImmediate(() => {
        this.emit("error", error);
        port1.close();
      });
    }
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, [...transfer]);
  }

  async terminate(): Promise<number> {
    throw new Error("the thread of the test cannot be terminated; use a worker thread");
  }
}
