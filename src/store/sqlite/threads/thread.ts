import { Worker } from "node:worker_threads";
import type { ResourceLimits, Transferable } from "node:worker_threads";
import type { BackgroundTask } from "../../../core/background-tasks.ts";
import { Problem } from "../../../core/errors.ts";
import { closeCall } from "./calls.ts";
import type { Answer, Calls } from "./calls.ts";
import { fromFault } from "../connection/errors.ts";
import type { Notice } from "./notices.ts";

/** How a thread is started. */
export interface ThreadOptions {
  /** Module that the thread executes. */
  readonly file: URL;
  /** Name of the thread, in its errors and for the operating system. */
  readonly name: string;
  /** What the worker finds in `workerData`. */
  readonly settings: unknown;
  readonly resourceLimits: ResourceLimits;
  /** Receives what the worker says beside its answers. */
  readonly onNotice?: (notice: Notice) => void;
  /** Reporter of threads that ended by themselves; it recovers with the next answer. */
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
 * Calls into a worker thread. A thread that dies takes its pending calls with it (they reject with `unavailable`: whether
 * they happened is unknown), and the next call starts a new one.
 */
export class Thread<Known extends Calls> {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastNumber = 0;
  #isClosed = false;
  /** Whether the present thread has answered a call. */
  #isProven = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Calls by name; answers in any order. `transfer` lists buffers that are moved rather than copied. */
  async call<Name extends keyof Known & string>(
    name: Name,
    parameters: Parameters<Extract<Known[Name], (...parameters: never) => unknown>>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Method<Known[Name]>>>> {
    if (this.#isClosed) throw new Problem("unavailable");
    return (await this.#send(name, parameters, transfer)) as Awaited<ReturnType<Method<Known[Name]>>>;
  }

  /** Resolves when all earlier calls are answered and the thread has ended; later calls reject with `unavailable`. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    // A thread that dies now has nothing left to lose.
    await this.#send(closeCall, [], []).catch(() => undefined);
    await ended;
    this.#options.task?.end();
  }

  /** Stops the thread in the middle of whatever it does, as a crash would. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  #send(name: string, parameters: readonly unknown[], transfer: readonly Transferable[]): Promise<unknown> {
    this.#worker ??= this.#start();
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
    });
    this.#worker.postMessage({ number, name, parameters }, transfer);
    return answered;
  }

  #start(): Worker {
    const { file, name, settings, resourceLimits } = this.#options;
    const worker = new Worker(file, { workerData: settings, resourceLimits, execArgv: [], name });
    this.#isProven = false;
    let cause: unknown;
    worker.on("message", (message: readonly Answer[] | Notice) => {
      if ("kind" in message) this.#options.onNotice?.(message);
      else for (const answer of message) this.#settle(answer);
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", (code) => {
      this.#abandon(worker, cause ?? new Error(`the ${name} thread exited with code ${String(code)}`));
    });
    return worker;
  }

  #settle(answer: Answer): void {
    if (!this.#isProven) this.#options.task?.succeeded();
    this.#isProven = true;
    const pending = this.#pending.get(answer.number);
    this.#pending.delete(answer.number);
    if (answer.fault === undefined) pending?.resolve(answer.result);
    else pending?.reject(fromFault(answer.fault));
  }

  #abandon(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (!this.#isClosed) this.#options.task?.failed(cause);
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) reject(new Problem("unavailable", { cause }));
  }
}
