/** Searches over all servers of a key, and suggestions, on both stores. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Summary } from "../../src/core/message.ts";
import { searchServersMsMax, suggestionsMsMax } from "../../src/core/limits.ts";
import type { SearchSuggestion } from "../../src/operations/searches/suggest-searches.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../src/testing/http-test-server.test-aid.ts";
import { storeUnderTest } from "./store-under-test.ts";
import type { WireError } from "../../src/http/wire/error-schema.ts";

let api: HttpTestServer;
let servers: readonly TestServer[];
beforeAll(async () => {
  api = await openHttpTestServer(await storeUnderTest());
  servers = [await api.addServer(), await api.addServer(), await api.addServer(), await api.addServer()];
  // The last server stays empty; messages of the others alternate, some within one millisecond.
  for (let n = 0; n < 30; n += 1) {
    const server = servers[n % 3];
    if (server === undefined) continue;
    await api.deliver(server, {
      from: n % 2 === 0 ? "even@app.example" : "odd@app.example",
      subject: `Order ${n}`,
      text: `Number ${n} of ${server.id}.\r\n`,
    });
    if (n % 4 === 0) api.clock.advance(1);
  }
});
afterAll(async () => api[Symbol.asyncDispose]());

const summaries = (reply: Reply): readonly Summary[] => reply.json<Summary[]>();
const subjects = (reply: Reply): readonly string[] => summaries(reply).map(({ subject }) => subject);
const orderOf = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `Order ${count - 1 - n}`);
const search = async (query: string, key?: string): Promise<Reply> =>
  await api.ask(`GET /api/search?${query}`, key === undefined ? {} : { key });

describe("a search over all servers", () => {
  test("returns the newest matches of all servers, each with its server", async () => {
    const reply = await search("q=from%3Aodd");
    expect(subjects(reply)).toEqual(orderOf(30).filter((_, at) => at % 2 === 0));
    expect(new Set(summaries(reply).map(({ server }) => server)).size).toBe(3);
    expect([reply.headers["x-total-count"], reply.headers["link"]]).toEqual(["15", undefined]);
    expect(subjects(await search(""))).toEqual(orderOf(30));
  });

  test.each([1, 4, 7, 29, 30])("is paged without gaps or repetitions by %s items", async (itemsPerPage) => {
    const [byLink, byPage]: [string[], string[]] = [[], []];
    for (let next = `/api/search?q=number&itemsPerPage=${itemsPerPage}`; next !== "";) {
      const reply = await api.ask(`GET ${next}`);
      byLink.push(...subjects(reply));
      next = /<([^>]+)>/.exec(String(reply.headers["link"]))?.[1] ?? "";
    }
    for (let page = 0; page <= 30 / itemsPerPage; page += 1) {
      byPage.push(...subjects(await search(`q=number&itemsPerPage=${itemsPerPage}&page=${page}`)));
    }
    expect([byLink, byPage]).toEqual([orderOf(30), orderOf(30)]);
  });

  test("shows a key of one server this server only", async () => {
    const [own] = servers;
    const found = summaries(await search("q=number", own?.key));
    expect([found.length, new Set(found.map(({ server }) => server))]).toEqual([10, new Set([own?.id])]);
    expect((await search("q=number", "wrong")).statusCode).toBe(401);
  });

  test("names every wrong parameter, and pages beyond 1000 messages", async () => {
    const wrong = await search("q=larger%3Ax&itemsPerPage=0&dir=up");
    expect(wrong.json<WireError>().errors.map(({ field }) => field)).toEqual(["q", "itemsPerPage", "dir"]);
    expect((await search("page=19")).statusCode).toBe(200);
    const beyond = await search("page=20");
    expect([beyond.statusCode, beyond.json<WireError>().errors[0]?.field]).toEqual([400, "page"]);
  });

  test("is a 503 when it takes longer than its limit", async () => {
    const { store } = api.context;
    const original = store.searchMessages.bind(store);
    const spy = vi.spyOn(store, "searchMessages").mockImplementation(async (...search) => {
      api.clock.advance(searchServersMsMax);
      return await original(...search);
    });
    const reply = await search("q=number");
    spy.mockRestore();
    expect([reply.statusCode, reply.json<WireError>().message]).toEqual([503, expect.stringContaining("10 s")]);
  });
});

describe("suggestions", () => {
  const suggest = async (query: string, key?: string): Promise<readonly SearchSuggestion[]> =>
    (await api.ask(`GET /api/search/suggestions?${query}`, key === undefined ? {} : { key })).json();

  test("replace operators that were confused, with the numbers of matches", async () => {
    const [own] = servers;
    const found = await suggest(`q=to%3Aodd%40app&server=${own?.id}`);
    const same = { server: own?.id, dir: "Received", term: "to:odd@app", isExact: true };
    expect(found).toEqual([
      { ...same, kind: "replace", q: "from:odd@app", replacement: "from:odd@app", count: 5 },
      { ...same, kind: "replace", q: "odd@app", replacement: "odd@app", count: 5 },
    ]);
    const [similar] = await suggest("q=form%3Aeven");
    expect(similar).toMatchObject({ q: "from:even", server: null, count: 15 });
  });

  test("leave out one term, and look into other servers and the other direction", async () => {
    const [own, other] = servers;
    const found = await suggest(`q=subject%3Aorder%20${other?.id}%20body%3Anumber&server=${own?.id}`);
    expect(found.map(({ kind, q, server, count }) => [kind, q, server, count])).toEqual([
      ["servers", `subject:order ${other?.id} body:number`, null, 10],
      ["without", "subject:order body:number", own?.id, 10],
    ]);
    const restricted = await suggest(`q=order%20${other?.id}&server=${own?.id}`, own?.key);
    expect(restricted.map(({ kind }) => kind)).toEqual(["without"]);
    const sent = await suggest(`q=order&server=${own?.id}&dir=Sent`);
    expect(sent[0]).toMatchObject({ kind: "direction", dir: "Received", count: 10 });
  });

  test("are none without a query, and need a server of the key", async () => {
    const [own, other] = servers;
    expect(await suggest("q=%20")).toEqual([]);
    const path = `GET /api/search/suggestions?q=a&server=${other?.id}`;
    expect((await api.ask(path, { key: own?.key ?? "" })).statusCode).toBe(404);
  });

  test("leaves out suggestions that are not counted in time", async () => {
    const { store } = api.context;
    const original = store.findMessages.bind(store);
    let calls = 0;
    const spy = vi.spyOn(store, "findMessages").mockImplementation(async (...search) => {
      calls += 1;
      if (calls === 2) api.clock.advance(suggestionsMsMax);
      return await original(...search);
    });
    const found = await suggest(`q=to%3Aeven%20order&server=${servers[0]?.id}&dir=Sent`);
    spy.mockRestore();
    expect([found.length, calls]).toEqual([0, 2]);
  });
});
