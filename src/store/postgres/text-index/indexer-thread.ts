import { Worker } from "node:worker_threads";
import { workerUrl } from "../../../core/worker-url.ts";
import type { DatabaseOptions } from "../connection/database.ts";
import type { IndexerHandle } from "./text-index.ts";
import type { TextIndexSettings } from "./text-index-settings.ts";

/** Heap of the thread: segments take 36 MB outside of it, texts are read 2 MB at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Options of an {@link IndexerThread}; `workerData` of the thread. */
export interface IndexerThreadOptions {
  readonly url: string;
  readonly connections: Pick<DatabaseOptions, "statementMsMax" | "lockMsMax">;
  readonly settings: TextIndexSettings;
}

/** Response of the thread to one step. */
export type IndexerResponse = { readonly isMore: boolean } | { readonly failure: string };

interface Pending {
  readonly resolve: (isMore: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Indexer on a thread of its own, so that texts of strangers are never read where the sockets are. */
export class IndexerThread implements IndexerHandle {
  readonly #options: IndexerThreadOptions;
  #worker: Worker | undefined;
  #pending: Pending | undefined;

  constructor(options: IndexerThreadOptions) {
    this.#options = options;
  }

  /** Runs one step at a time; starts the thread when there is none. Rejects when the step failed or the thread exited. */
  async advance(server: number): Promise<boolean> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return await new Promise<boolean>((resolve, reject) => {
      this.#pending = { resolve, reject };
      worker.postMessage(server);
    });
  }

  /** Ends the thread; resolves when it has exited. */
  async rest(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage(null);
    await exited;
  }

  #start(): Worker {
    const file = workerUrl(import.meta.url, "indexer-worker");
    const worker = new Worker(file, {
      workerData: this.#options,
      resourceLimits,
      execArgv: [],
      name: "text indexer",
    });
    let cause: unknown;
    worker.on("message", (response: IndexerResponse) => {
      const pending = this.#pending;
      this.#pending = undefined;
      if ("failure" in response) pending?.reject(new Error(response.failure));
      else pending?.resolve(response.isMore);
    });
    worker.on("error", (error) => {
      cause = error;
    });
    worker.on("exit", (code) => {
      if (this.#worker === worker) this.#worker = undefined;
      const pending = this.#pending;
      this.#pending = undefined;
      pending?.reject(new Error(`the text indexer thread exited with code ${String(code)}`, { cause }));
    });
    return worker;
  }
}
