import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Message, Summary } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let alice: string;
let bob: string;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  alice = await api.deliver(server, { to: "Alice@x.example", subject: "Reset … 👍🏽", text: "Use 50% off_now\r\n" });
  bob = await api.deliver(server, { to: "bob@x.example", subject: "Welcome", text: "Hello Bob\r\n" });
});
afterAll(async () => api[Symbol.asyncDispose]());

const search = async (body: unknown, query = "", headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`POST /api/messages/search?server=${server.id}${query}`, { body, headers });
const idsIn = (reply: Reply): readonly string[] => reply.json<Summary[]>().map((summary) => summary.id);

describe("POST /api/messages/search", () => {
  test.each([
    ["a recipient, whatever its case", { sentTo: "aLICE@X.example" }, () => [alice]],
    ["a sender", { sentFrom: "app@sender.example" }, () => [bob, alice]],
    ["a part of the subject", { subject: "… 👍🏽" }, () => [alice]],
    ["a part of the body", { body: "50% OFF_" }, () => [alice]],
    ["all criteria", { sentTo: "alice@x.example", subject: "welcome" }, () => []],
    ["any criterion", { sentTo: "alice@x.example", subject: "welcome", match: "ANY" }, () => [bob, alice]],
    [
      ".NET",
      { SentFrom: null, SentTo: "alice@x.example", Subject: "welcome", Body: null, Match: 1 },
      () => [bob, alice],
    ],
    ["go", { sentFrom: "", sentTo: "bob@x.example", subject: "", body: "", match: "ALL" }, () => [bob]],
    ["nothing that there is", { subject: "%" }, () => []],
  ])("accepts %s", async (_what, body, ids) => {
    const reply = await search(body);
    expect([reply.statusCode, idsIn(reply)]).toEqual([200, ids()]);
  });

  test("supports the pages, the instants and the envelopes of lists", async () => {
    const first = await search({ sentFrom: "app@sender.example" }, "&itemsPerPage=1", {
      "user-agent": "cypress-mailosaur/5.0.0",
    });
    expect(first.json<{ items: Summary[] }>().items.map(({ id }) => id)).toEqual([bob]);
    expect(first.headers["link"]).toBe(`</api/messages/search?page=1&server=${server.id}&itemsPerPage=1>; rel="next"`);
    expect(idsIn(await search({ sentFrom: "app@sender.example" }, "&itemsPerPage=1&page=1"))).toEqual([alice]);
    expect(idsIn(await search({ sentFrom: "app@sender.example" }, "&receivedAfter=2026-01-01T00:00:00.001Z"))).toEqual([
      bob,
    ]);
  });

  test("returns a delay that is one number", async () => {
    expect((await search({ subject: "welcome" })).headers["x-ms-delay"]).toBe("1000");
    expect((await search({ subject: "nowhere to be found" })).headers["x-ms-delay"]).toBe("0");
  });

  test("responds to a waiting search when a mail arrives", async () => {
    const other = await api.addServer();
    const pending = api.ask(`POST /api/messages/search?server=${other.id}&timeout=5000`, {
      body: { subject: "late" },
    });
    await until(() => api.clock.appointmentCount > 0);
    const id = await api.deliver(other, { subject: "Late, but here" });
    expect(idsIn(await pending)).toEqual([id]);
  });

  test("responds to a waiting search at its timeout", async () => {
    const pending = search({ subject: "never" }, "&timeout=5000");
    await until(() => api.clock.appointmentCount > 0);
    api.clock.advance(5000);
    expect(idsIn(await pending)).toEqual([]);
  });

  test("returns full messages, at most a hundred", async () => {
    const reply = await search({ sentFrom: "app@sender.example" }, "&full=true");
    expect(reply.json<Message[]>().map(({ id, text }) => [id, text.body])).toEqual([
      [bob, "Hello Bob\n"],
      [alice, "Use 50% off_now\n"],
    ]);
    expect((await search({ subject: "x" }, "&full=true&itemsPerPage=100")).statusCode).toBe(200);
    expect((await search({ subject: "x" }, "&full=true&itemsPerPage=101")).statusCode).toBe(400);
  });

  test("ends a page of full messages at its byte budget, and continues by Link without gaps or repetitions", async () => {
    await using small = await openHttpTestServer({ limits: { fullPageBytesMax: 250_000 } });
    const own = await small.addServer();
    const sizes = [1000, 90_000, 80_000, 400_000, 1000, 120_000, 2000];
    const ids: string[] = [];
    for (const size of sizes)
      ids.push(await small.deliver(own, { subject: "full", text: `${"word ".repeat(size / 5)}\r\n` }));
    let url: string | undefined = `/api/messages/search?server=${own.id}&full=true&itemsPerPage=5`;
    const pages: string[][] = [];
    while (url !== undefined) {
      const reply: Reply = await small.ask(`POST ${url}`, { body: { subject: "full" } });
      expect(reply.statusCode).toBe(200);
      const messages = reply.json<Message[]>();
      pages.push(messages.map(({ id }) => id));
      for (const { id, text } of messages) expect(text.body?.length).toBe((sizes[ids.indexOf(id)] ?? 0) + 1);
      // A mail that arrives while pages are read does not shift them.
      if (pages.length === 1) await small.deliver(own, { subject: "full, late" });
      url = /<([^>]+)>; rel="next"/.exec(String(reply.headers["link"] ?? ""))?.[1];
    }
    expect(pages.flat()).toEqual(ids.toReversed());
    expect(pages.map((page) => page.length)).toEqual([3, 1, 3]);
  });

  test("responds 400 when before is not the id of a message", async () => {
    expect((await search({ subject: "x" }, "&before=abc")).json()).toMatchObject({ errors: [{ field: "before" }] });
  });

  test("returns only the messages after a cursor", async () => {
    expect(idsIn(await search({ sentFrom: "app@sender.example" }, "&after=1"))).toEqual([bob]);
    expect(idsIn(await search({ sentFrom: "app@sender.example" }, "&after=2"))).toEqual([]);
  });

  test("responds 409 with the matches when the client asserted absence", async () => {
    const reply = await search({ subject: "welcome" }, "&absent=true&timeout=0");
    expect(reply.statusCode).toBe(409);
    expect(reply.json<{ messages: Summary[] }>().messages.map(({ id }) => id)).toEqual([bob]);
    expect(reply.json()).toMatchObject({ type: "Conflict", status: 409, errors: [] });
    expect((await search({ subject: "never" }, "&absent=true&timeout=0")).statusCode).toBe(200);
  });

  test("responds 409 with the matches and an explanation when another number matches than expected", async () => {
    const expected = await search({ subject: "welcome" }, "&expect=1&settle=0");
    expect([expected.statusCode, idsIn(expected)]).toEqual([200, [bob]]);
    const more = await search({ sentFrom: "app@sender.example" }, "&expect=1&settle=0");
    expect([more.statusCode, more.json()]).toMatchObject([409, { message: "2 messages match; expected 1" }]);
    expect(more.json<{ messages: Summary[] }>().messages.map(({ id }) => id)).toEqual([bob, alice]);
    const fewer = await search({ subject: "welcome" }, "&expect=2&settle=0&explain=true");
    expect([fewer.statusCode, fewer.json()]).toMatchObject([
      409,
      { message: "1 message matches; expected 2", messages: [{ id: bob }], explanation: { nearest: [{ id: alice }] } },
    ]);
  });

  test.each([
    [{}, "", "criteria"],
    [undefined, "", "criteria"],
    [{ match: "ANY" }, "", "criteria"],
    [{ subject: null, body: "" }, "", "criteria"],
    [{ subject: 5 }, "", "subject"],
    [{ subject: "x", match: "SOME" }, "", "match"],
    [{ subject: "x".repeat(1001) }, "", "subject"],
    [{ subject: "\0" }, "", "subject"],
    [{ subject: "a\0b" }, "", "subject"],
    [{ sentFrom: "a\0@x.example" }, "", "sentFrom"],
    [{ sentTo: "a\0@x.example" }, "", "sentTo"],
    [{ body: "\0\0", subject: "x", match: "ANY" }, "", "body"],
    [{ subject: "x" }, "&page=-1", "page"],
    [{ subject: "x" }, "&timeout=60001", "timeout"],
    [{ subject: "x" }, "&timeout=soon", "timeout"],
    [{ subject: "x" }, "&count=0", "count"],
    [{ subject: "x" }, "&absent=perhaps", "absent"],
  ])("responds 400 to %j %s", async (body, query, field) => {
    const reply = await search(body, query);
    expect([reply.statusCode, reply.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  });

  test("a search that waits for several messages finds messages that are stored between two of its queries", async () => {
    const { store } = api.context;
    const original = store.searchMessages.bind(store);
    let calls = 0;
    const spy = vi.spyOn(store, "searchMessages").mockImplementation(async (...query) => {
      const page = await original(...query);
      calls += 1;
      if (calls === 2) for (const text of ["second", "third"]) await api.deliver(server, { subject: "several", text });
      return page;
    });
    // A match that follows a result without matches is not queried.
    await api.deliver(server, { subject: "several", text: "before" });
    const waiting = search({ subject: "several" }, "&timeout=60000&count=4");
    await until(() => calls === 1);
    await api.deliver(server, { subject: "several", text: "first" });
    expect(idsIn(await waiting)).toHaveLength(4);
    spy.mockRestore();
  });

  test("accepts a thousand characters", async () => {
    expect((await search({ subject: "x".repeat(1000) })).statusCode).toBe(200);
  });

  test("responds 400 without a server", async () => {
    const reply = await api.ask("POST /api/messages/search", { body: { subject: "x" } });
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "server" }] });
  });

  test("responds 404 for an unknown server", async () => {
    expect((await api.ask("POST /api/messages/search?server=not_found", { body: { subject: "x" } })).statusCode).toBe(
      404,
    );
  });

  test("causes no 5xx for any body", async () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify({ subject: value, Match: value })),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const reply = await search(body, "", { "content-type": "application/json" });
        expect([200, 400]).toContain(reply.statusCode);
      }),
      { numRuns: 60 },
    );
    expect(api.failed).toEqual([]);
  });
});
