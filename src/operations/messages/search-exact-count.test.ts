import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import { searchMessages, type SearchOutcome, type SearchRequest } from "./search-messages.ts";

let api: HttpTestServer;
let server: TestServer;
/** Number of searches of the store. */
let searchCount: () => number;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  const spy = vi.spyOn(api.context.store, "searchMessages");
  searchCount = () => spy.mock.calls.length;
});
afterEach(async () => api[Symbol.asyncDispose]());

const page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null } as const;
const exactly = { count: 1, settleMs: 2000 };

async function search(wish: Partial<SearchRequest>): Promise<SearchOutcome> {
  return searchMessages(
    api.context,
    { keyId: "test", server: null },
    {
      server: server.id,
      criteria: { match: "ALL", subject: "wanted" },
      page,
      timeoutMs: 5000,
      countMin: 1,
      absent: false,
      exactly,
      gone: new AbortController().signal,
      isOpen: async () => true,
      ...wish,
    },
  );
}

describe("a search that expects an exact number of messages", () => {
  test("responds after the settle time when no further message matches", async () => {
    await api.deliver(server, { subject: "wanted" });
    let isOver = false;
    const outcome = search({}).finally(() => {
      isOver = true;
    });
    // Its first search, and the one at the start of the settle time.
    await until(() => searchCount() === 2);
    api.clock.advance(1999);
    expect(isOver).toBe(false);
    api.clock.advance(1);
    expect(await outcome).toMatchObject({ unexpected: false, page: { count: 1 } });
  });

  test("reports a second message that matches within the settle time, at once", async () => {
    await api.deliver(server, { subject: "wanted" });
    const outcome = search({});
    await until(() => searchCount() === 2);
    await api.deliver(server, { subject: "wanted again" });
    expect(await outcome).toMatchObject({ unexpected: true, page: { count: 2 } });
  });

  test("reports too few messages at the end of the timeout", async () => {
    await api.deliver(server, { subject: "wanted" });
    const outcome = search({ exactly: { count: 2, settleMs: 0 } });
    await until(() => searchCount() === 1);
    api.clock.advance(5000);
    expect(await outcome).toMatchObject({ unexpected: true, page: { count: 1 } });
  });

  test("reports more messages than a page holds", async () => {
    for (const subject of ["wanted", "wanted"]) await api.deliver(server, { subject });
    const outcome = await search({ page: { ...page, itemsPerPage: 1 } });
    expect(outcome).toMatchObject({ unexpected: true, page: { count: 1, hasMore: true } });
  });

  test.each<[Partial<SearchRequest>, string]>([
    [{ absent: true }, "expect"],
    [{ countMin: 2 }, "expect"],
    [{ exactly: { count: 51, settleMs: 0 } }, "expect"],
    [{ timeoutMs: 59_000 }, "settle"],
  ])("rejects %j on %s", async (wish, field) => {
    await expect(search(wish)).rejects.toMatchObject({ fields: [{ field }] });
  });
});
