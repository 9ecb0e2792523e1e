import { workerUrl } from "../../../core/worker.ts";
import { Thread } from "../../threads/thread.ts";
import type { DatabaseOptions } from "../connection/database.ts";
import type { IndexerHandle } from "./text-index.ts";
import type { TextIndexSettings } from "./segments.ts";

/** Heap of the thread: segments take 36 MB outside of it, texts are read 2 MB at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Options of an {@link IndexerThread}; `workerData` of the thread. */
export interface IndexerThreadOptions {
  readonly url: string;
  readonly connections: Pick<DatabaseOptions, "statementMsMax" | "lockMsMax">;
  readonly settings: TextIndexSettings;
}

/** Indexer on a thread of its own, so that texts of strangers are never read where the sockets are. */
export class IndexerThread implements IndexerHandle {
  readonly #options: IndexerThreadOptions;
  #thread: Thread<{ advance(server: number): boolean }> | undefined;

  constructor(options: IndexerThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread when there is none. Rejects when the step failed or the thread exited. */
  async advance(server: number): Promise<boolean> {
    const file = workerUrl(import.meta.url, "indexer-worker");
    this.#thread ??= new Thread({ file, name: "text indexer", settings: this.#options, resourceLimits });
    return await this.#thread.call("advance", [server]);
  }

  /** Ends the thread; resolves when it has exited. */
  async rest(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }
}
