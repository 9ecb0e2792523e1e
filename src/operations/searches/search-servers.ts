import { summariesOf } from "../services/reading/stored-detail.ts";
import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import { invalidField, Problem } from "../../core/errors.ts";
import { decodeMessageId, encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { searchedServersItemCountMax, searchServersMsMax } from "../../core/limits.ts";
import type { Summary } from "../../core/message.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { listServers } from "../servers/servers.ts";
import type { SearchQuery } from "../services/search/read-search.ts";

// Work on the servers of a key, a few at a time and within a time limit.

/** Servers that are searched concurrently: as many as stores run for one caller. */
const concurrentCountMax = 4;

/** Visit of the servers of a principal. */
interface ServerVisit {
  /** Visits one server; the signal aborts when the caller disconnects or the time limit has passed. */
  readonly visit: (server: ServerId, signal: AbortSignal) => Promise<void>;
  /** Returns whether the remaining servers need no visit. */
  readonly isDone?: () => boolean;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
}

/**
 * Visits the servers that a principal can access and that have messages. Rejects with `unavailable` after
 * `searchServersMsMax`, and when the caller disconnects.
 */
export async function eachServer(
  context: Context,
  principal: Principal,
  { visit, isDone = () => false, gone }: ServerVisit,
): Promise<void> {
  const [deadline, failure] = [new AbortController(), new AbortController()];
  const cancel = context.clock.after(searchServersMsMax, () => deadline.abort());
  const signal = AbortSignal.any([gone, deadline.signal, failure.signal]);
  try {
    const servers = (await listServers(context, principal)).filter(({ messages }) => messages > 0);
    const waiting = servers.values();
    const work = async (): Promise<void> => {
      for (const { id } of waiting) {
        if (isDone()) return;
        if (signal.aborted) throw new Problem("unavailable", { cause: signal.reason });
        await visit(id, signal);
      }
    };
    await Promise.all(Array.from({ length: concurrentCountMax }, work));
  } catch (error) {
    failure.abort(error);
    if (!deadline.signal.aborted || gone.aborted) throw error;
    const text = `Searching all servers took longer than ${searchServersMsMax / 1000} s; narrow the query or search one server`;
    throw new Problem("unavailable", { text, cause: error });
  } finally {
    cancel();
  }
}

/** Request for a page of the messages of all servers. */
interface ServersSearch {
  /** Query that all messages meet; null for none. */
  readonly query: SearchQuery | null;
  readonly page: Page;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
}

/** Page of messages of several servers, newest first. */
interface ServersPage {
  readonly summaries: readonly Summary[];
  readonly hasMore: boolean;
  /** Number of messages over all pages where it is known without counting, else null. */
  readonly total: number | null;
}

/**
 * Searches the messages of all servers that the principal can access, newest first; messages received in the same
 * millisecond are in the order of their ids without the server, then of their servers. Servers are read a few at a time,
 * each from the instant of the oldest message that can still be on the page. Rejects as {@link eachServer} does, and with a
 * 400 on `page` beyond `searchedServersItemCountMax` messages.
 */
export async function searchServers(
  context: Context,
  principal: Principal,
  { query, page, gone }: ServersSearch,
): Promise<ServersPage> {
  const end = (page.page + 1) * page.itemsPerPage;
  if (end > searchedServersItemCountMax) {
    const description = `Pages reach ${searchedServersItemCountMax} messages; continue with before, or follow Link`;
    throw invalidField("page", description, "out_of_range");
  }
  const newest = new NewestMessages(end + 1);
  const visit = async (server: ServerId, signal: AbortSignal): Promise<void> => {
    const asked: SearchPage = {
      ...page,
      page: 0,
      itemsPerPage: end + 1,
      afterSequence: null,
      receivedAfter: newest.receivedAfter(page.receivedAfter),
      ...(page.before !== undefined && { before: boundIn(server, page.before) }),
      caller: principal.keyId,
      signal,
    };
    newest.add(await read(context, server, { query, asked }));
  };
  await eachServer(context, principal, { visit, gone });
  const { messages } = newest;
  const summaries = messages.slice(end - page.itemsPerPage, end).map(({ summary }) => summary);
  const hasMore = messages.length > end;
  return { summaries, hasMore, total: totalOf(page, { end: messages.length, hasMore, count: summaries.length }) };
}

async function read(
  { store }: Context,
  server: ServerId,
  { query, asked }: { readonly query: SearchQuery | null; readonly asked: SearchPage },
): Promise<readonly Summary[]> {
  const { json }: SummaryPage =
    query === null
      ? await store.listMessages(server, asked)
      : await store.searchMessages(server, query.expression, asked);
  return summariesOf({ json });
}

function totalOf(
  page: Page,
  { end, hasMore, count }: { readonly end: number; readonly hasMore: boolean; readonly count: number },
): number | null {
  const isKnown = !hasMore && page.before === undefined && (count > 0 || page.page === 0);
  return isKnown ? end : null;
}

interface OrderedMessage {
  readonly summary: Summary;
  readonly receivedAt: number;
  readonly random: number;
}

/** The newest of the messages that were added. */
class NewestMessages {
  readonly #countMax: number;
  #messages: readonly OrderedMessage[] = [];

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /** The newest messages, newest first. */
  get messages(): readonly OrderedMessage[] {
    return this.#messages;
  }

  add(summaries: readonly Summary[]): void {
    const added = summaries.map((summary): OrderedMessage => {
      const { receivedAt, random } = decodeMessageId(summary.id);
      return { summary, receivedAt, random };
    });
    this.#messages = [...this.#messages, ...added].toSorted(newestFirst).slice(0, this.#countMax);
  }

  /** Returns the later one of a bound and the instant before that of the last message, once there are enough. */
  receivedAfter(bound: number | null): number | null {
    const last = this.#messages[this.#countMax - 1];
    if (last === undefined) return bound;
    return Math.max(bound ?? 0, last.receivedAt - 1);
  }
}

function newestFirst(one: OrderedMessage, other: OrderedMessage): number {
  return (
    other.receivedAt - one.receivedAt ||
    other.random - one.random ||
    (one.summary.server < other.summary.server ? 1 : -1)
  );
}

const randomMax = 0xffffffff;

/** Returns the id that is greater than those of the messages of `server` that come after `before` in the order. */
function boundIn(server: ServerId, before: MessageId): MessageId {
  const parts = decodeMessageId(before);
  if (server >= parts.server) return encodeMessageId({ ...parts, server });
  const { direction, receivedAt, random } = parts;
  return random === randomMax
    ? encodeMessageId({ server, direction, receivedAt: receivedAt + 1, random: 0 })
    : encodeMessageId({ server, direction, receivedAt, random: random + 1 });
}
