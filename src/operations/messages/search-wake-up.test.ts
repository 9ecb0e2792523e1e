import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Criteria, Page } from "../../core/criteria.ts";
import type { MessageId } from "../../core/ids.ts";
import { putMarks } from "../marks/marks.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";
import type { SummaryPage } from "../../store/store.ts";
import { searchMessages } from "./search-messages.ts";

const principal = { keyId: "test", server: null };
const firstPage: Page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };
let api: HttpTestServer;
let server: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await api[Symbol.asyncDispose]();
});

interface Wish {
  readonly criteria?: Partial<Criteria>;
  readonly page?: Partial<Page>;
  readonly countMin?: number;
  /** Longest wait; 30 seconds by default. */
  readonly timeoutMs?: number;
}

async function search({ criteria = { subject: "wanted" }, page = {}, ...wish }: Wish = {}): Promise<SummaryPage> {
  const outcome = await searchMessages(api.context, principal, {
    server: server.id,
    criteria: { match: "ALL", ...criteria },
    page: { ...firstPage, ...page },
    timeoutMs: 30_000,
    countMin: 1,
    absent: false,
    gone: new AbortController().signal,
    isOpen: async () => true,
    ...wish,
  });
  return outcome.page;
}

/** Search that waits, and the number of queries that it has executed so far. */
interface Waiting {
  readonly page: Promise<SummaryPage>;
  readonly queryCount: () => number;
}

async function waiting(wish: Wish): Promise<Waiting> {
  const queries = vi.spyOn(api.context.store, "searchMessages");
  const seen = vi.spyOn(api.context.events, "noteSeen");
  const page = search(wish);
  await until(() => seen.mock.calls.length > 0);
  seen.mockRestore();
  return { page, queryCount: () => queries.mock.calls.length };
}

/** Stores a mail as another node does, of which this one has not been notified yet. */
async function deliverElsewhere(subject: string): Promise<MessageId> {
  const publish = vi.spyOn(api.context.events, "publish").mockImplementationOnce(() => undefined);
  const id = await api.deliver(server, { subject });
  publish.mockRestore();
  return id;
}

const shown = ({ json, ...rest }: SummaryPage): unknown => ({ ...rest, json: Buffer.from(json).toString("utf8") });

const mail = { from: "shop@sender.example", to: "Ann@tests.example", subject: "Wanted: one", text: "Code 804219\r\n" };

describe("a wait that a match ends", () => {
  test.each<Wish>([
    { criteria: { sentTo: "ann@Tests.example" } },
    { criteria: { sentFrom: "Shop@sender.example" } },
    { criteria: { subject: "wanted" } },
    { criteria: { body: "code 804" } },
    { criteria: { subject: "nothing", sentTo: "ann@tests.example", match: "ANY" } },
    { page: { itemsPerPage: 1, receivedAfter: 1, afterSequence: 1 } },
  ])("responds without a further query as the store would: %j", async (wish) => {
    await api.deliver(server, { subject: "before" });
    const { page, queryCount } = await waiting(wish);
    await api.deliver(server, { subject: "other" });
    await api.deliver(server, mail);
    const found = shown(await page);
    expect(queryCount()).toBe(1);
    expect(found).toEqual(shown(await search({ ...wish, timeoutMs: 0 })));
    expect(found).toMatchObject({ count: 1, total: 1, hasMore: false, cursor: 3 });
  });

  test.each<Wish>([{ criteria: { sentFrom: "Root" } }, { criteria: { sentTo: "postmaster" } }])(
    "finds names without a domain: %j",
    async (wish) => {
      const { page } = await waiting(wish);
      const to = `ann@${server.id}.restante.test`;
      await api.deliver(server, { raw: "From: x@y.test\r\nTo: The Postmaster\r\n\r\nx", mailFrom: "root x@y.test" });
      await api.deliver(server, { to, raw: "From: root (Cron)\r\nTo: Postmaster\r\n\r\nx", mailFrom: "c@y.test" });
      expect((await page).total).toBe(1);
    },
  );

  test("queries the store after a change that was not published here", async () => {
    const { page, queryCount } = await waiting({});
    await deliverElsewhere("wanted too");
    await api.deliver(server, mail);
    expect((await page).count).toBe(2);
    expect(queryCount()).toBe(2);
  });

  test("queries the store for one of several messages", async () => {
    const { page } = await waiting({ countMin: 2 });
    await api.deliver(server, mail);
    await api.deliver(server, mail);
    expect(shown(await page)).toEqual(shown(await search({ timeoutMs: 0 })));
  });

  test("queries the store for a tag, which older messages can get", async () => {
    const older = await api.deliver(server, { subject: "wanted" });
    const { page, queryCount } = await waiting({ criteria: { tag: "vip", sentTo: "ann@tests.example", match: "ANY" } });
    await putMarks(api.context, principal, { id: older, marks: { flags: [], tags: ["vip"] } });
    await api.deliver(server, mail);
    expect((await page).count).toBe(2);
    expect(queryCount()).toBe(2);
  });

  test.each<Partial<Page>>([{ receivedAfter: 1e15 }, { afterSequence: 5 }, { page: 1, itemsPerPage: 1 }])(
    "leaves out a match outside its page: %j",
    async (page) => {
      const { page: found, queryCount } = await waiting({ page });
      await api.deliver(server, mail);
      await until(() => queryCount() === 2);
      api.clock.advance(30_000);
      expect((await found).count).toBe(0);
    },
  );
});

test("a wait responds as a query does after any changes of this node and others", async () => {
  const step = fc.constantFrom("other", "match elsewhere", "other elsewhere", "delete");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 4 }), fc.nat(), async (steps, run) => {
      const subject = `wanted ${run} `;
      const criteria = { subject };
      const { page } = await waiting({ criteria });
      const stored: MessageId[] = [];
      for (const one of steps) {
        if (one === "delete") await deleteOne(stored.pop());
        else if (one === "other") await api.deliver(server, { subject: "other" });
        else stored.push(await deliverElsewhere(one === "match elsewhere" ? `${subject}.` : "other"));
      }
      await api.deliver(server, { subject: `${subject}.` });
      expect(shown(await page)).toEqual(shown(await search({ criteria, timeoutMs: 0 })));
    }),
    { numRuns: 60 },
  );
});

async function deleteOne(id: MessageId | undefined): Promise<void> {
  if (id === undefined) return;
  const sequence = await api.context.store.deleteMessage(id);
  if (sequence === undefined) return;
  api.context.events.publish({ server: server.id, change: { sequence, kind: "deleted", id }, message: null });
}
