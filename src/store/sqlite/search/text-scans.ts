import type { ServerId } from "../../../core/ids.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import type { ExpressionCount, IdentityPage } from "../../mark-store.ts";
import { SearchQueue } from "../../search-queue.ts";
import type { FoldedCriteria, SearchPage, SummaryPage } from "../../store.ts";
import type { ReaderCalls } from "../threads/calls.ts";
import { expressionCacheKeys, searchCacheKeys } from "../messages/result-cache.ts";
import type { Thread } from "../threads/thread.ts";

/** Searches whose slices the reader interleaves, in all and per caller. */
const limits = { runningCountMax: 64, runningPerCallerCountMax: 4 };

/** Searches on the reader thread: fair between callers, and cancelled when their last caller aborts. */
export class TextScans {
  readonly #reader: Pick<Thread<ReaderCalls>, "call">;
  readonly #queue = new SearchQueue<SummaryPage>(limits);
  readonly #identityQueue = new SearchQueue<IdentityPage>(limits);
  readonly #countQueue = new SearchQueue<ExpressionCount>(limits);
  #lastNumber = 0;

  constructor(reader: Pick<Thread<ReaderCalls>, "call">) {
    this.#reader = reader;
  }

  /** Implements `searchMessages` of the store's contract. */
  async search(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage> {
    const { signal, caller = server, ...plain } = page;
    const key = `${server} ${searchCacheKeys(criteria, plain).whole}`;
    return await this.#queue.run({ caller, query: key, signal }, async (left) =>
      this.#cancellable(left, async (number) => this.#reader.call("search", [server, criteria, plain, number])),
    );
  }

  /** Implements `searchExpression` of the store's contract. */
  async searchExpression(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<SummaryPage> {
    const { signal, caller = server, ...plain } = page;
    const key = `${server} ${expressionCacheKeys(expression, plain).whole}`;
    return await this.#queue.run({ caller, query: key, signal }, async (left) =>
      this.#cancellable(left, async (number) =>
        this.#reader.call("searchExpression", [server, expression, plain, number]),
      ),
    );
  }

  /** Implements `findExpression` of the store's contract. */
  async findExpression(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<IdentityPage> {
    const { signal, caller = server, ...plain } = page;
    const key = `${server} ${expressionCacheKeys(expression, plain).whole}`;
    return await this.#identityQueue.run({ caller, query: key, signal }, async (left) =>
      this.#cancellable(left, async (number) =>
        this.#reader.call("findExpression", [server, expression, plain, number]),
      ),
    );
  }

  /** Implements `countExpression` of the store's contract. */
  async countExpression(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<ExpressionCount> {
    const { signal, caller = server, ...plain } = page;
    const key = `${server} ${expressionCacheKeys(expression, plain).whole}`;
    return await this.#countQueue.run({ caller, query: key, signal }, async (left) =>
      this.#cancellable(left, async (number) =>
        this.#reader.call("countExpression", [server, expression, plain, number]),
      ),
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
