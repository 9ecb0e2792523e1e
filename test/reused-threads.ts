/**
 * Lets SQLite stores of a test process use the threads of earlier ones, for two thirds of the CPU time of opening a store:
 * a start of a thread takes Node 17 ms, and loading the module 10 ms more. A thread is free again when its module has
 * closed its port, as at the end of a store. One that fails or is terminated ends, as without this.
 */
import { EventEmitter, once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import type { Transferable, Worker, WorkerOptions } from "node:worker_threads";
import { expect } from "vitest";
import type { ThreadStart } from "./thread-host.ts";

/** Unused threads that are kept for each module. */
const freeCountMax = 2;
/** Modules whose state is all in their variables, and whose timers end with their port. */
const reusable = /\/restante-tests\/(store\/sqlite\/threads\/(?:reader|writer)-worker)\.js$/;
/** Tests of the threads themselves, which have threads of their own. */
const testsOfThreads = /\/src\/store\/sqlite\/threads\//;

const threads = process.getBuiltinModule("node:worker_threads");
const free = new Map<string, Worker[]>();

/** Part of `Worker` that stores use, for one execution of a module. */
class ReusedThread extends EventEmitter {
  readonly #host: Worker;
  readonly #port;

  constructor(host: Worker, settings: unknown, onFree: () => void) {
    super();
    const { port1, port2 } = new threads.MessageChannel();
    this.#host = host;
    this.#port = port1;
    // Both are awaited: responses arrive before the port closes, and a thread that fails or is terminated does not report its end.
    const closed = once(port1, "close");
    const end = async (): Promise<void> => {
      await closed;
      host.off("message", onMessage).off("error", onError).off("exit", onExit);
      onFree();
      this.emit("exit", 0);
    };
    const onMessage = (): void => void end();
    const onError = (error: unknown): void => void this.emit("error", error);
    const onExit = (code: number): void => void this.emit("exit", code);
    host.on("message", onMessage).on("error", onError).on("exit", onExit);
    port1.on("message", (message) => this.emit("message", message));
    const request: ThreadStart = { settings, port: port2 };
    host.postMessage(request, [port2]);
    this.ref();
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, [...transfer]);
  }

  async terminate(): Promise<number> {
    return this.#host.terminate();
  }

  ref(): void {
    this.#host.ref();
    this.#port.ref();
  }

  unref(): void {
    this.#host.unref();
    this.#port.unref();
  }
}

function start(
  RealWorker: typeof Worker,
  file: URL,
  { workerData: settings, ...options }: WorkerOptions,
): ReusedThread {
  const key = `${file.href} ${JSON.stringify(options)}`;
  const unused = free.get(key) ?? [];
  free.set(key, unused);
  const host =
    unused.pop() ?? new RealWorker(new URL("thread-host.ts", import.meta.url), { ...options, workerData: file.href });
  return new ReusedThread(host, settings, () => {
    if (unused.length >= freeCountMax) void host.terminate();
    else unused.push(host);
    host.unref();
  });
}

// Vitest executes this for each test file of a process.
const installed = Symbol.for("restante.reused-threads");
if (!Object.hasOwn(globalThis, installed)) {
  Object.assign(globalThis, { [installed]: true });
  threads.Worker = new Proxy(threads.Worker, {
    construct: (RealWorker, parameters: [URL, WorkerOptions?]) => {
      const [file, options = {}] = parameters;
      const isReused = reusable.test(String(file)) && !testsOfThreads.test(expect.getState().testPath ?? "");
      return isReused ? start(RealWorker, file, options) : new RealWorker(...parameters);
    },
  });
  syncBuiltinESMExports();
}
