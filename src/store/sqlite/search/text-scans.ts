import type { FoundMessages } from "../../mark-store.ts";
import { SearchQueue } from "../../search-queue.ts";
import type { SearchPage, SummaryPage } from "../../store.ts";
import { searchCacheKeys } from "../messages/result-cache.ts";
import type { ReaderCalls } from "../threads/calls.ts";
import type { Thread } from "../../threads/thread.ts";
import type { SearchRequest } from "./search.ts";

/** Searches whose slices the reader interleaves, in all and per caller. */
const limits = { runningCountMax: 64, runningPerCallerCountMax: 4 };

/** Search of a caller. */
export type AskedSearch = Omit<SearchRequest, "page"> & { readonly page: SearchPage };

/** Searches on the reader thread: fair between callers, and cancelled when their last caller aborts. */
export class TextScans {
  readonly #reader: Pick<Thread<ReaderCalls>, "call">;
  readonly #queue = new SearchQueue<SummaryPage | FoundMessages>(limits);
  #lastNumber = 0;

  constructor(reader: Pick<Thread<ReaderCalls>, "call">) {
    this.#reader = reader;
  }

  /** Runs a search for summaries. */
  async search(asked: AskedSearch & { readonly result: "summaries" }): Promise<SummaryPage> {
    return (await this.#run(asked)) as SummaryPage;
  }

  /** Runs a search for ids, or for their number. */
  async find(asked: AskedSearch & { readonly result: "ids" | "count" }): Promise<FoundMessages> {
    return (await this.#run(asked)) as FoundMessages;
  }

  async #run({ page, ...asked }: AskedSearch): Promise<SummaryPage | FoundMessages> {
    const { server, expression, result } = asked;
    const { signal, caller = server, ...plain } = page;
    const query = `${server} ${result} ${searchCacheKeys(expression, plain).whole}`;
    return await this.#queue.run({ caller, query, signal }, async (left) =>
      this.#cancellable(left, async (number) => this.#reader.call("search", [{ ...asked, page: plain }, number])),
    );
  }

  /** Runs a search with a number of its own; cancels it on the reader when `left` aborts. */
  async #cancellable<Result>(left: AbortSignal, run: (number: number) => Promise<Result>): Promise<Result> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const cancel = (): void => {
      // Fails only when the thread has exited, and the search with it.
      this.#reader.call("cancelSearch", [number]).catch(() => undefined);
    };
    left.addEventListener("abort", cancel, { once: true });
    try {
      return await run(number);
    } finally {
      left.removeEventListener("abort", cancel);
    }
  }
}
