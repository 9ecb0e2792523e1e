import type { ApiKey } from "../../../core/api-key.ts";
import type { Page } from "../../../core/criteria.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import type { Server } from "../../../core/server.ts";
import type { SummaryPage } from "../../store.ts";
import { NewestMessages, type ListedMessage, type Newest } from "./newest-messages.ts";

/** Bytes of cached pages; beyond, the least recently used servers are evicted. */
const bytesMax = 16 * 1024 * 1024;
/** Estimated cost of one cached page beside its bytes. */
const bytesPerPage = 512;
const pageCountPerServerMax = 64;
const serverCountMax = 10_000;
const keyCountMax = 10_000;

/** Everything cached of one server. */
interface ServerEntry {
  /** Pages by the key of their query. */
  readonly pages: Map<string, SummaryPage>;
  readonly newest: Map<Direction, NewestMessages>;
  /** The server's own record, counts included. */
  record: Server | undefined;
  /** Query without its page → sequence number up to which no message matches it. */
  readonly noMatchUpTo: Map<string, number>;
  /** Number of changes, by which a result that was under way during a change is recognised as stale. */
  version: number;
  pageBytes: number;
  /** Bytes of the pages and of the newest messages. */
  bytes: number;
}

/** State of a server's entry before a query is executed; its result is cached only while that state is current. */
export interface CacheTicket {
  readonly server: ServerId;
  readonly entry: ServerEntry;
  readonly version: number;
}

/**
 * Cache of API keys, server records, result pages and newest messages, so that polling the same query costs next to
 * nothing. Every change of a server must call {@link ResultCache.forgetServer}, or the method that forgets less,
 * before its promise settles.
 */
export class ResultCache {
  /** Every request looks one up; keys are few and rarely change. */
  readonly #keys = new Map<string, ApiKey>();
  /** In the order of use, least recent first. */
  readonly #servers = new Map<ServerId, ServerEntry>();
  #bytes = 0;

  /** Returns the key with this hash, if it was looked up since keys last changed. */
  getKey(hash: string): ApiKey | undefined {
    return this.#keys.get(hash);
  }

  /** Caches a key under the hash that it was found by: its own, or that of its former secret. */
  setKey(hash: string, key: ApiKey): void {
    if (this.#keys.size >= keyCountMax) this.#keys.clear();
    this.#keys.set(hash, key);
  }

  /** Must be called after every change of keys, and of servers whose keys may be deleted with them. */
  clearKeys(): void {
    this.#keys.clear();
  }

  /** Returns the server's record, unless it has changed since it was cached. */
  getServerRecord(server: ServerId): Server | undefined {
    return this.#servers.get(server)?.record;
  }

  setServerRecord(record: Server): void {
    this.ticket(record.id).entry.record = record;
    this.#evict();
  }

  /** Returns the result of the same query, unless the server has changed since. */
  getPage(server: ServerId, cacheKey: string): SummaryPage | undefined {
    return this.#servers.get(server)?.pages.get(cacheKey);
  }

  /** Returns the sequence number up to which the server is known to hold no match; deletions do not invalidate it. */
  noMatchUpTo(server: ServerId, cacheKey: string): number {
    return this.#servers.get(server)?.noMatchUpTo.get(cacheKey) ?? 0;
  }

  /** Returns the ticket that a result is cached with; must be called before the query is executed. */
  ticket(server: ServerId): CacheTicket {
    const entry = this.#servers.get(server) ?? {
      pages: new Map(),
      newest: new Map(),
      noMatchUpTo: new Map(),
      record: undefined,
      version: 0,
      pageBytes: 0,
      bytes: 0,
    };
    this.#servers.delete(server);
    this.#servers.set(server, entry);
    return { server, entry, version: entry.version };
  }

  setPage({ server, entry, version }: CacheTicket, cacheKey: string, page: SummaryPage): void {
    if (this.#servers.get(server) !== entry || entry.version !== version) return;
    if (entry.pages.size >= pageCountPerServerMax) this.#clearPages(entry);
    entry.pages.set(cacheKey, page);
    entry.pageBytes += page.json.length + 2 * cacheKey.length + bytesPerPage;
    this.#updateBytes(entry);
    this.#evict();
  }

  /** Returns the first page of a list, if the newest messages are cached. */
  newestPage(server: ServerId, page: Page): SummaryPage | undefined {
    if (page.page > 0 || page.before !== undefined || (page.afterSequence ?? 0) > 0) return undefined;
    return this.#servers.get(server)?.newest.get(page.direction)?.page(page);
  }

  setNewest(server: ServerId, direction: Direction, newest: Newest): void {
    const { entry } = this.ticket(server);
    const made = NewestMessages.from(newest);
    if (made !== undefined) entry.newest.set(direction, made);
    this.#updateBytes(entry);
    this.#evict();
  }

  setNoMatchUpTo({ server, entry }: CacheTicket, cacheKey: string, upTo: number): void {
    if (this.#servers.get(server) !== entry) return;
    if (entry.noMatchUpTo.size >= pageCountPerServerMax) entry.noMatchUpTo.clear();
    entry.noMatchUpTo.set(cacheKey, upTo);
  }

  /** Must be called after messages of the server were deleted, and nothing else was changed. */
  messagesDeleted(server: ServerId): void {
    const entry = this.#servers.get(server);
    if (entry === undefined) return;
    entry.version += 1;
    entry.record = undefined;
    entry.newest.clear();
    this.#clearPages(entry);
  }

  /** Must be called after a change of what a server stores besides its messages. */
  forgetRecord(server: ServerId): void {
    const entry = this.#servers.get(server);
    if (entry !== undefined) entry.record = undefined;
  }

  /** Must be called after a message was stored, with the sequence number of that change. */
  addMessage(message: ListedMessage, sequence: number): void {
    const { server, direction } = decodeMessageId(message.id);
    const entry = this.#servers.get(server);
    if (entry === undefined) return;
    entry.version += 1;
    entry.record = undefined;
    for (const [of, newest] of entry.newest) {
      if (!newest.apply(sequence, of === direction ? message : null)) entry.newest.delete(of);
    }
    this.#clearPages(entry);
  }

  /**
   * Must be called after every change of a server and its messages that has no other method here, and when it is unknown
   * whether a change was made: forgets also which searches have no match, because stored messages may match others than before.
   */
  forgetServer(server: ServerId): void {
    this.messagesDeleted(server);
    this.#servers.delete(server);
  }

  #clearPages(entry: ServerEntry): void {
    entry.pages.clear();
    entry.pageBytes = 0;
    this.#updateBytes(entry);
  }

  #updateBytes(entry: ServerEntry): void {
    let bytes = entry.pageBytes;
    for (const newest of entry.newest.values()) bytes += newest.bytes;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #evict(): void {
    for (const server of this.#servers.keys()) {
      if (this.#bytes <= bytesMax && this.#servers.size <= serverCountMax) return;
      this.forgetServer(server);
    }
  }
}

/** Returns the cache key of a list: equal for equal queries only. */
export function listCacheKey(page: Page): string {
  return `${page.direction}/${page.page}/${page.itemsPerPage}/${page.receivedAfter}/${page.afterSequence}/${page.before ?? ""}`;
}

/** Returns the cache keys of a search: `whole` with its page, `base` only with what decides whether a message matches. */
export function searchCacheKeys(
  expression: SearchExpression,
  page: Page,
): { readonly whole: string; readonly base: string } {
  const base = JSON.stringify([page.direction, page.receivedAfter, page.before ?? 0, expression]);
  return { base, whole: `${listCacheKey(page)} ${base}` };
}
