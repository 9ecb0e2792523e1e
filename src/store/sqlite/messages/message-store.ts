import type { FoundMessages } from "../../mark-store.ts";
import type { Page } from "../../../core/criteria.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import type { FindPage, MessageStore, SearchPage, SummaryPage } from "../../store.ts";
import type { ContentStore } from "../../content/content-store.ts";
import { TextScans } from "../search/text-scans.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { StoreParts } from "../threads/store-state.ts";
import { listCacheKey, searchCacheKeys, type ResultCache } from "./result-cache.ts";
import { copiedBytes } from "../../threads/thread.ts";
import { HeapBound } from "./heap-bound.ts";
import { encodeBatch } from "./message-batch.ts";
import { newestCountMax } from "./newest-messages.ts";
import { firstIndex } from "../../page-bounds.ts";

/** Pages that end beyond this index are read on the reader thread. */
const localIndexMax = 2000;
/** Pages of messages after a change that is further back than this are read on the reader thread. */
const localChangeCountMax = 2000;

/** Size of the main thread's old generation below which a flood of mail does not cause collections: live are up to 14 MiB. */
const heapBytesMin = 16 * 1024 * 1024;
/** Length of the cache key of an expression, in characters, beyond which its results are not cached. */
const cacheKeyLengthMax = 4000;

/** Dependencies of {@link createMessageStore}. */
export interface MessageStoreDependencies extends Pick<StoreParts, "writer" | "reader" | "indexing"> {
  readonly local: LocalReads;
  readonly cache: ResultCache;
}

/** Creates the store of messages, apart from their content. */
export function createMessageStore(
  dependencies: MessageStoreDependencies,
): Omit<MessageStore, keyof ContentStore | "emptyServer" | "listChanges"> {
  const { writer, cache, indexing } = dependencies;
  const queries = new MessageQueries(dependencies);
  const heap = new HeapBound(heapBytesMin);
  return {
    addMessages: async (messages, options = {}) => {
      const batch = encodeBatch(messages);
      const { deliveries, releasesBodies = false } = options;
      if (releasesBodies) for (const { keys } of messages) keys.body.release();
      const buffers = [batch.bytes];
      const companions =
        deliveries === undefined ? options : { ...options, deliveries: copiedBytes(deliveries, buffers) };
      indexing.messagesWaiting();
      try {
        const outcomes = await writer.call("addMessages", [batch, companions], buffers);
        for (const [at, { id, summaryJson }] of messages.entries()) {
          const stored = outcomes[at];
          if (stored?.outcome === "stored") cache.addMessage({ id, json: summaryJson }, stored.sequence);
        }
        return outcomes;
      } catch (error) {
        for (const { id } of messages) cache.forgetServer(decodeMessageId(id).server);
        throw error;
      } finally {
        indexing.messagesStored(messages.length);
        heap.messagesStored(messages.length);
      }
    },
    listMessages: queries.list.bind(queries),
    searchMessages: async (server, expression, page) => queries.search(server, expression, page),
    findMessages: async (server, expression, page) => queries.find(server, expression, page),
    deleteMessage: async (id) => {
      try {
        return await writer.call("deleteMessage", [id]);
      } finally {
        indexing.messagesChanged(1);
        cache.messagesDeleted(decodeMessageId(id).server);
      }
    },
    expireMessages: async (server, rule) => {
      try {
        const count = await writer.call("expireMessages", [server, rule]);
        indexing.messagesChanged(count);
        return count;
      } finally {
        cache.messagesDeleted(server);
      }
    },
  };
}

/** Lists and searches: from the cache, from the connection of this thread, or on the reader thread. */
class MessageQueries {
  readonly #reader: StoreParts["reader"];
  readonly #local: LocalReads;
  readonly #cache: ResultCache;
  readonly #scans: TextScans;

  constructor({ reader, local, cache }: MessageStoreDependencies) {
    this.#reader = reader;
    this.#local = local;
    this.#cache = cache;
    this.#scans = new TextScans(reader);
  }

  async list(server: ServerId, page: Page): Promise<SummaryPage> {
    const cacheKey = listCacheKey(page);
    const cached = this.#cached(server, cacheKey) ?? this.#newest(server, page);
    if (cached !== undefined) return cached;
    const ticket = this.#cache.ticket(server);
    const found = this.#isShort(server, page)
      ? this.#local.read(({ pages }) => pages.list(server, page))
      : await this.#reader.call("list", [server, page]);
    this.#cache.setPage(ticket, cacheKey, found);
    return found;
  }

  /** Searches only messages that earlier searches without a match have not seen. */
  async search(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<SummaryPage> {
    const cacheKeys = searchCacheKeys(expression, page);
    // The number of cached pages is limited, not their keys.
    if (cacheKeys.base.length > cacheKeyLengthMax) return await this.#execute(server, expression, page);
    const cached = this.#cached(server, cacheKeys.whole);
    if (cached !== undefined) return cached;
    const ticket = this.#cache.ticket(server);
    const noMatchUpTo = this.#cache.noMatchUpTo(server, cacheKeys.base);
    const afterSequence = Math.max(page.afterSequence ?? 0, noMatchUpTo);
    const found = await this.#execute(server, expression, { ...page, afterSequence });
    this.#cache.setPage(ticket, cacheKeys.whole, found);
    const sawAllBefore = (page.afterSequence ?? 0) <= noMatchUpTo;
    if (found.count === 0 && page.page === 0 && sawAllBefore) {
      this.#cache.setNoMatchUpTo(ticket, cacheKeys.base, found.cursor);
    }
    return found;
  }

  async find(server: ServerId, expression: SearchExpression, page: FindPage): Promise<FoundMessages> {
    this.#local.requireOpen();
    const { countOnly = false, ...within } = page;
    return await this.#scans.find({ server, expression, page: within, result: countOnly ? "count" : "ids" });
  }

  #cached(server: ServerId, cacheKey: string): SummaryPage | undefined {
    this.#local.requireOpen();
    return this.#cache.getPage(server, cacheKey);
  }

  /** Returns the first page of a list when the newest messages contain the whole page. */
  #newest(server: ServerId, page: Page): SummaryPage | undefined {
    const cached = this.#cache.newestPage(server, page);
    if (cached !== undefined || page.page > 0 || (page.afterSequence ?? 0) > 0) return cached;
    if (page.itemsPerPage >= newestCountMax || page.before !== undefined) return undefined;
    const newest = this.#local.read(({ pages }) => pages.newest(server, page.direction));
    if (newest !== undefined) this.#cache.setNewest(server, page.direction, newest);
    return this.#cache.newestPage(server, page);
  }

  async #execute(server: ServerId, expression: SearchExpression, page: SearchPage): Promise<SummaryPage> {
    return expression.kind === "key" && this.#isShort(server, page)
      ? this.#local.read(({ pages }) => pages.search(server, expression, page))
      : await this.#scans.search({ server, expression, page, result: "summaries" });
  }

  /** Whether an index finds the page in a few thousand steps at most. */
  #isShort(server: ServerId, page: Page): boolean {
    if (firstIndex(page) + page.itemsPerPage > localIndexMax) return false;
    const { afterSequence } = page;
    if (afterSequence === null || afterSequence === 0) return true;
    const last = this.#local.read(({ servers }) => servers.position(server)?.sequence ?? 0);
    return last - afterSequence <= localChangeCountMax;
  }
}
