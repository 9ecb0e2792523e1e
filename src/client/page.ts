/** Pages of lists, and iteration over all of them. */
import type { OperationId, ParametersOf, Received, Transport, TransportOptions } from "./transport.ts";

/** Page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Position of the server that the page shows, for `after`; null when the list has none. */
  readonly cursor: number | null;
  /** Number of items over all pages; null when it is not known without counting. */
  readonly totalCount: number | null;
  /** Whether there is a next page. */
  readonly hasNext: boolean;
  /** Fetches the next page; without one it is an empty page. */
  next(): Promise<Page<Item>>;
}

/** Request for the pages of a list. */
export interface PageRequest<Id extends OperationId> {
  readonly id: Id;
  readonly parameters: ParametersOf<Id>;
  readonly options: TransportOptions;
}

/** Fetches a page. `read` takes the items from the content of the response. */
export async function fetchPage<Item, Id extends OperationId>(
  transport: Transport,
  request: PageRequest<Id>,
  read: (content: unknown) => readonly Item[] = (content) => content as readonly Item[],
): Promise<Page<Item>> {
  const { content, response } = (await transport.receive(
    request.id,
    request.parameters,
    request.options,
  )) as Received<unknown>;
  const { headers } = response;
  const following = nextQuery(headers.get("link"));
  const cursor = numberIn(headers.get("x-cursor"));
  return {
    items: read(content),
    cursor,
    totalCount: numberIn(headers.get("x-total-count")),
    hasNext: following !== null,
    next: async () => {
      if (following === null) return { ...emptyPage, cursor };
      return fetchPage(transport, { ...request, parameters: { ...request.parameters, query: following } }, read);
    },
  };
}

const emptyPage: Page<never> = {
  items: [],
  cursor: null,
  totalCount: null,
  hasNext: false,
  next: async () => emptyPage,
};

/** Yields the items of a page and of all pages after it. */
export async function* itemsFrom<Item>(first: Promise<Page<Item>>): AsyncGenerator<Item, void, undefined> {
  for (let page = await first; ; page = await page.next()) {
    yield* page.items;
    if (!page.hasNext) return;
  }
}

/** Only the query of the URL counts: a proxy may show the service under another path. */
function nextQuery(link: string | null): Record<string, string> | null {
  const [, url] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link ?? "") ?? [];
  if (url === undefined) return null;
  const start = url.indexOf("?");
  return Object.fromEntries(new URLSearchParams(start < 0 ? "" : url.slice(start)));
}

function numberIn(value: string | null): number | null {
  return value === null || value === "" ? null : Number(value);
}
