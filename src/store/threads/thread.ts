import type { EventEmitter } from "node:events";
import { Worker, type ResourceLimits, type Transferable } from "node:worker_threads";
import type { BackgroundTask } from "../../core/background-tasks.ts";
import { Problem } from "../../core/errors.ts";
import { closeCall, methodOf, type CallResponse, deserializeError } from "./call-protocol.ts";

/** Executor of the calls of a {@link Thread}: a worker thread, or one that a test starts instead. */
export type StartedThread = Pick<EventEmitter, "on" | "once"> & Pick<Worker, "postMessage" | "terminate">;

/** Options of a {@link Thread}. */
export interface ThreadOptions {
  /** Module that the thread executes. */
  readonly file: URL;
  /** Name of the thread, in its errors and for the operating system. */
  readonly name: string;
  /** `workerData` of the thread. */
  readonly settings: unknown;
  readonly resourceLimits: ResourceLimits;
  /** Returns a thread with the module and the settings, such as one that was started earlier; undefined when there is none. */
  readonly takeStarted?: () => StartedThread | undefined;
  /** Receives the notices of the thread: messages with a `kind`, which are no responses. */
  readonly onNotice?: (notice: never) => void;
  /** Returns the error with which a call is rejected before it reaches the thread; undefined by default. */
  readonly refusalOf?: (call: string) => Problem | undefined;
  /** Called when a call failed because pages of the database are damaged. */
  readonly onCorruption?: (error: unknown) => void;
  /** Reporter of unexpected exits; it recovers with the next response. */
  readonly task?: BackgroundTask;
}

type Method<Call> = Call extends (...parameters: infer Parameters) => infer Result
  ? (...parameters: Parameters) => Promise<Result>
  : never;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls to a worker thread. When the thread exits, its pending calls reject with `unavailable` (whether they were executed
 * is unknown), and the next call starts a new thread.
 */
export class Thread<Known extends object> {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: StartedThread | undefined;
  #lastNumber = 0;
  #isClosed = false;
  /** Whether the current thread has responded to a call. */
  #hasResponded = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Calls by name; responses come in any order. `transfer` lists buffers that are transferred rather than copied. */
  async call<Name extends keyof Known & string>(
    name: Name,
    parameters: Parameters<Extract<Known[Name], (...parameters: never) => unknown>>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Method<Known[Name]>>>> {
    if (this.#isClosed) throw new Problem("unavailable");
    const refusal = this.#options.refusalOf?.(methodOf({ name, parameters }));
    if (refusal !== undefined) throw refusal;
    return (await this.#send(name, parameters, transfer)) as Awaited<ReturnType<Method<Known[Name]>>>;
  }

  /** Resolves when all earlier calls are finished and the thread has exited; later calls reject with `unavailable`. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    // A thread that exits before it can respond is closed as well.
    await this.#send(closeCall, [], []).catch(() => undefined);
    await exited;
    this.#options.task?.end();
  }

  /** Terminates the thread at once, as a crash would. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  #send(name: string, parameters: readonly unknown[], transfer: readonly Transferable[]): Promise<unknown> {
    this.#worker ??= this.#start();
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const response = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
    });
    this.#worker.postMessage({ number, name, parameters }, transfer);
    return response;
  }

  #start(): StartedThread {
    const { file, name, settings, resourceLimits, takeStarted } = this.#options;
    const worker: StartedThread =
      takeStarted?.() ?? new Worker(file, { workerData: settings, resourceLimits, execArgv: [], name });
    this.#hasResponded = false;
    let cause: unknown;
    worker.on("message", (message: readonly CallResponse[] | { readonly kind: string }) => {
      if ("kind" in message) this.#options.onNotice?.(message as never);
      else for (const response of message) this.#settle(response);
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", (code) => {
      this.#abandon(worker, cause ?? new Error(`the ${name} thread exited with code ${String(code)}`));
    });
    return worker;
  }

  #settle(response: CallResponse): void {
    if (!this.#hasResponded) this.#options.task?.succeeded();
    this.#hasResponded = true;
    const pending = this.#pending.get(response.number);
    this.#pending.delete(response.number);
    if (response.error === undefined) pending?.resolve(response.result);
    else {
      const error = deserializeError(response.error);
      if (response.error.isCorruption) this.#options.onCorruption?.(error.cause);
      pending?.reject(error);
    }
  }

  #abandon(worker: StartedThread, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (!this.#isClosed) this.#options.task?.failed(cause);
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) reject(new Problem("unavailable", { cause }));
  }
}

/** Bytes from which a copy is transferred; fewer are cloned faster. */
const transferredBytesMin = 64 * 1024;

/** Copies the bytes in a parameter, which may be parts of larger buffers that would be cloned whole; adds large copies to `buffers`. */
export function copiedBytes<Value>(value: Value, buffers: ArrayBuffer[]): Value {
  return copied(value, buffers) as Value;
}

function copied(value: unknown, buffers: ArrayBuffer[]): unknown {
  if (value instanceof Uint8Array) {
    const copy = new Uint8Array(value);
    if (copy.length >= transferredBytesMin) buffers.push(copy.buffer);
    return copy;
  }
  if (Array.isArray(value)) return value.map((one) => copied(one, buffers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one, buffers)]));
}
