import type { SearchExpression } from "../../core/search/search-expression.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { Criteria } from "../../core/criteria.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import type { SearchPage } from "../../store/store.ts";
import { searchMessages, type SearchOutcome, type SearchRequest } from "./search-messages.ts";

const everybody = { keyId: "test", server: null };
let api: HttpTestServer;
let server: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterEach(async () => api[Symbol.asyncDispose]());

interface Wish extends Partial<Omit<SearchRequest, "criteria">> {
  readonly criteria?: Partial<Criteria>;
}

async function search({ criteria = { subject: "wanted" }, ...wish }: Wish = {}): Promise<SearchOutcome> {
  return searchMessages(api.context, everybody, {
    server: server.id,
    criteria: { match: "ALL", ...criteria },
    page: { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null },
    timeoutMs: null,
    countMin: 1,
    absent: false,
    gone: new AbortController().signal,
    isOpen: async () => true,
    ...wish,
  });
}

/** Search that is waiting. */
async function waiting(
  wish: Wish,
): Promise<{ readonly outcome: Promise<SearchOutcome>; readonly isOver: () => boolean }> {
  const before = api.clock.appointmentCount;
  let over = false;
  const outcome = search(wish).finally(() => {
    over = true;
  });
  await until(() => over || api.clock.appointmentCount > before);
  return { outcome, isOver: () => over };
}

/** Waits until all pending callbacks have run. */
async function settle(): Promise<void> {
  let turns = 0;
  await until(() => ++turns > 50);
}

describe("a search with a timeout", () => {
  test("responds at once when a message matches already", async () => {
    await api.deliver(server, { subject: "wanted" });
    expect((await search({ timeoutMs: 5000 })).page.count).toBe(1);
  });

  test("responds as soon as a match arrives, and not for other messages", async () => {
    const { outcome, isOver } = await waiting({ timeoutMs: 5000 });
    await api.deliver(server, { subject: "something else" });
    await settle();
    expect(isOver()).toBe(false);
    await api.deliver(server, { subject: "what was WANTED" });
    expect((await outcome).page.count).toBe(1);
  });

  test("responds with an empty page at its time-out", async () => {
    const { outcome, isOver } = await waiting({ timeoutMs: 5000 });
    api.clock.advance(4999);
    await settle();
    expect(isOver()).toBe(false);
    api.clock.advance(1);
    expect((await outcome).page.count).toBe(0);
  });

  test("waits until `countMin` messages match", async () => {
    const { outcome, isOver } = await waiting({ timeoutMs: 5000, countMin: 3 });
    for (let number = 0; number < 2; number += 1) await api.deliver(server, { subject: "wanted" });
    await settle();
    expect(isOver()).toBe(false);
    await api.deliver(server, { subject: "wanted" });
    expect((await outcome).page.count).toBe(3);
  });

  test("reports a match with `isAbsent`, and responds with an empty page at its timeout", async () => {
    const disappointed = await waiting({ timeoutMs: 5000, absent: true });
    await api.deliver(server, { subject: "wanted" });
    expect((await disappointed.outcome).unexpected).toBe(true);
    const content = await waiting({ timeoutMs: 5000, absent: true, criteria: { subject: "another" } });
    api.clock.advance(5000);
    expect(await content.outcome).toMatchObject({ unexpected: false, page: { count: 0 } });
  });

  test("releases its waiter when its caller disconnects", async () => {
    const caller = new AbortController();
    const { outcome } = await waiting({ timeoutMs: 5000, gone: caller.signal });
    expect(api.context.events.hasListeners(server.id)).toBe(true);
    caller.abort();
    // Rejects when its first query was still running.
    await outcome.catch((error: unknown) => {
      expect(error).toMatchObject({ code: "unavailable" });
    });
    expect(api.context.events.hasListeners(server.id)).toBe(false);
    expect(api.clock.appointmentCount).toBe(0);
  });

  test("is answered when the service shuts down, and none waits after that", async () => {
    const { outcome } = await waiting({ timeoutMs: 5000 });
    api.context.waiters.close();
    expect((await outcome).page.count).toBe(0);
    await expect(search({ timeoutMs: 5000 })).rejects.toMatchObject({ code: "unavailable" });
  });

  test.each([-1, 60_001, 1.5, Number.NaN])("rejects a timeout of %s ms", async (timeoutMs) => {
    await expect(search({ timeoutMs })).rejects.toMatchObject({ fields: [{ field: "timeout" }] });
  });

  test.each([0, 51, 1.5])("rejects a count of %s", async (countMin) => {
    await expect(search({ timeoutMs: 0, countMin })).rejects.toMatchObject({ fields: [{ field: "count" }] });
  });
});

describe("a mail that is committed between the query and the wait", () => {
  test("is found in any order of events", async () => {
    for (let round = 0; round < 20; round += 1) {
      const subject = `race ${String(round)}`;
      const outcome = search({ timeoutMs: 5000, criteria: { subject } });
      await api.deliver(server, { subject });
      expect((await outcome).page.count).toBe(1);
    }
  });
});

describe("a client that polls", () => {
  test("gets its first empty response at once, with the hint that the repeat will be held", async () => {
    expect(await search()).toMatchObject({ delayMs: 0, page: { count: 0 } });
  });

  test("is held when it repeats, and answered as soon as a match arrives", async () => {
    await search();
    const { outcome, isOver } = await waiting({});
    expect(isOver()).toBe(false);
    await api.deliver(server, { subject: "wanted" });
    expect(await outcome).toMatchObject({ delayMs: 1000, page: { count: 1 } });
  });

  test("is held for a second at most", async () => {
    await search();
    const { outcome } = await waiting({});
    api.clock.advance(1000);
    expect(await outcome).toMatchObject({ delayMs: 0, page: { count: 0 } });
  });

  test("is not held after three seconds of silence, nor for another search, nor by another key's repeat", async () => {
    await search();
    expect((await search({ criteria: { subject: "another" } })).page.count).toBe(0);
    const other = { keyId: "other", server: null };
    const request = {
      server: server.id,
      criteria: { subject: "wanted", match: "ALL" },
      countMin: 1,
      absent: false,
    } as const;
    const page = {
      page: 0,
      itemsPerPage: 50,
      receivedAfter: null,
      direction: "Received",
      afterSequence: null,
    } as const;
    const { signal } = new AbortController();
    await searchMessages(api.context, other, {
      ...request,
      page,
      timeoutMs: null,
      gone: signal,
      isOpen: async () => true,
    });
    api.clock.advance(3001);
    expect((await search()).page.count).toBe(0);
  });

  test("gets a delay instead of being held when there are too many waiters", async () => {
    const crowded = { ...api.context, waiters: { ...api.context.waiters, hasRoom: () => false } };
    const request: SearchRequest = {
      server: server.id,
      criteria: { subject: "wanted", match: "ALL" },
      page: { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null },
      timeoutMs: null,
      countMin: 1,
      absent: false,
      gone: new AbortController().signal,
      isOpen: async () => true,
    };
    expect((await searchMessages(crowded, everybody, request)).delayMs).toBe(1000);
    expect((await searchMessages(crowded, everybody, request)).delayMs).toBe(1000);
  });
});

describe("a key that is revoked or expires", () => {
  const keyed = { keyId: "mine", server: null };
  const wait = async (
    principal: typeof keyed & { readonly expiresAt?: number },
    isOpen: () => boolean,
  ): Promise<{ readonly outcome: Promise<unknown> }> => {
    const before = api.clock.appointmentCount;
    const seen = vi.spyOn(api.context.events, "noteSeen");
    const outcome = searchMessages(api.context, principal, {
      server: server.id,
      criteria: { subject: "wanted", match: "ALL" },
      page: { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null },
      timeoutMs: 30_000,
      countMin: 1,
      absent: false,
      gone: new AbortController().signal,
      isOpen: async () => isOpen(),
    }).then(
      ({ page: { count } }) => count,
      (error: unknown) => (error instanceof Problem ? error.code : error),
    );
    // The search waits after its first query.
    await until(() => api.clock.appointmentCount > before && seen.mock.calls.length > 0);
    seen.mockRestore();
    return { outcome };
  };

  test("ends its waiting searches at once when it is revoked, and no others", async () => {
    let isOpen = true;
    const ended = await wait(keyed, () => isOpen);
    const other = await wait({ ...keyed, keyId: "other" }, () => true);
    isOpen = false;
    api.context.revocations.publish("mine");
    expect(await ended.outcome).toBe("unauthenticated");
    await api.deliver(server, { subject: "wanted" });
    expect(await other.outcome).toBe(1);
  });

  test("ends its waiting searches at the instant it expires", async () => {
    const expiresAt = api.clock.now() + 5000;
    const { outcome } = await wait({ ...keyed, expiresAt }, () => api.clock.now() < expiresAt);
    api.clock.advance(5000);
    expect(await outcome).toBe("unauthenticated");
  });

  test("receives no message that arrives after another node has revoked it", async () => {
    const { outcome } = await wait(keyed, () => false);
    await api.deliver(server, { subject: "wanted" });
    expect(await outcome).toBe("unauthenticated");
  });
});

test("a search passes its key and its abort signal to the store", async () => {
  const { signal } = new AbortController();
  const asked: unknown[] = [];
  const store = new Proxy(api.context.store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "searchMessages") return typeof member === "function" ? (member.bind(target) as unknown) : member;
      return async (id: typeof server.id, expression: SearchExpression, page: SearchPage) => {
        asked.push([page.caller, page.signal]);
        return await target.searchMessages(id, expression, page);
      };
    },
  });
  await searchMessages({ ...api.context, store }, everybody, {
    server: server.id,
    criteria: { subject: "wanted", match: "ALL" },
    page: { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null },
    timeoutMs: null,
    countMin: 1,
    absent: false,
    gone: signal,
    isOpen: async () => true,
  });
  expect(asked).toEqual([["test", signal]]);
});
