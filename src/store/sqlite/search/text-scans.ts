import type { ServerId } from "../../../core/ids.ts";
import { SearchQueue } from "../../search-queue.ts";
import type { FoldedCriteria, SearchPage, SummaryPage } from "../../store.ts";
import type { ReaderCalls } from "../threads/calls.ts";
import { searchCacheKeys } from "../messages/result-cache.ts";
import type { Thread } from "../threads/thread.ts";

/** Searches whose slices the reader interleaves, in all and per caller. */
const limits = { runningCountMax: 64, runningPerCallerCountMax: 4 };

/** Searches on the reader thread: fair between callers, and cancelled when their last caller aborts. */
export class TextScans {
  readonly #reader: Pick<Thread<ReaderCalls>, "call">;
  readonly #queue = new SearchQueue<SummaryPage>(limits);
  #lastNumber = 0;

  constructor(reader: Pick<Thread<ReaderCalls>, "call">) {
    this.#reader = reader;
  }

  /** Implements `searchMessages` of the store's contract. */
  async search(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage> {
    const { signal, caller = server, ...plain } = page;
    const key = `${server} ${searchCacheKeys(criteria, plain).whole}`;
    return await this.#queue.run({ caller, query: key, signal }, async (left) => {
      this.#lastNumber += 1;
      const number = this.#lastNumber;
      const cancel = (): void => {
        // Fails only when the thread has exited, and the search with it.
        this.#reader.call("cancelSearch", [number]).catch(() => undefined);
      };
      left.addEventListener("abort", cancel, { once: true });
      try {
        return await this.#reader.call("search", [server, criteria, plain, number]);
      } finally {
        left.removeEventListener("abort", cancel);
      }
    });
  }
}
