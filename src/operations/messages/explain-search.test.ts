import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { NearMiss, SearchExplanation } from "../../core/search-explanation.ts";
import type { Summary } from "../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../testing/http-test-server.test-aid.ts";
import { until } from "../../testing/until.test-aid.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

interface Explained {
  readonly items: readonly Summary[];
  readonly explanation: SearchExplanation | null;
}

const search = async (server: TestServer, body: unknown, query = ""): Promise<Reply> =>
  api.ask(`POST /api/messages/search?server=${server.id}&explain=true${query}`, { body, key: server.key });
const explain = async (server: TestServer, body: unknown, query = ""): Promise<SearchExplanation> => {
  const reply = await search(server, body, query);
  expect([reply.statusCode, reply.json<Explained>().items]).toEqual([200, []]);
  const { explanation } = reply.json<Explained>();
  if (explanation === null) throw new Error("the search was not explained");
  return explanation;
};
const failuresOf = ({ nearest }: SearchExplanation): unknown =>
  nearest.map(({ id, failed }: NearMiss) => [id, failed.map(({ criterion, hint }) => [criterion, hint])]);

describe("a search with explain=true", () => {
  test("names the nearest messages and the criteria that each fails, nearest first", async () => {
    const server = await api.addServer();
    const far = await api.deliver(server, { to: "grace@two.example", subject: "Invoice" });
    const near = await api.deliver(server, { to: "ada@two.example", subject: "Your code" });
    const explanation = await explain(server, { sentTo: "Ada@one.example", subject: "your code" });
    expect(failuresOf(explanation)).toEqual([
      [near, [["sentTo", "differs only in its domain"]]],
      [
        far,
        [
          ["sentTo", null],
          ["subject", null],
        ],
      ],
    ]);
    expect(explanation).toMatchObject({ arrived: 2, hasMore: false });
    expect(explanation.nearest[0]?.failed[0]).toMatchObject({ expected: "Ada@one.example" });
    expect(explanation.nearest[0]?.failed[0]?.actual).toContain("ada@two.example");
    expect(explanation.text).toContain('"Your code": sentTo: expected "Ada@one.example", is "ada@two.example"');
  });

  test("explains at the end of its timeout, once, with the messages that arrived meanwhile", async () => {
    const server = await api.addServer();
    const spy = vi.spyOn(api.context.store, "listMessages");
    const before = api.clock.appointmentCount;
    const pending = search(server, { subject: "Welcome" }, "&timeout=5000");
    await until(() => api.clock.appointmentCount > before);
    const id = await api.deliver(server, { subject: "Wellcome" });
    expect(spy).not.toHaveBeenCalled();
    api.clock.advance(5000);
    const { explanation } = (await pending).json<Explained>();
    expect(spy).toHaveBeenCalledTimes(1);
    spy.mockRestore();
    expect(explanation?.nearest.map((one) => [one.id, one.failed[0]?.hint])).toEqual([[id, "differs in 1 character"]]);
    expect(explanation?.text).toMatch(/in 500\d ms. 1 message arrived since/);
  });

  test("names a match that receivedAfter excludes", async () => {
    const server = await api.addServer();
    const id = await api.deliver(server, { subject: "Welcome" });
    const later = new Date(api.clock.now() + 3_600_000).toISOString();
    const { nearest } = await explain(server, { subject: "welcome" }, `&receivedAfter=${later}`);
    expect(nearest.map((one) => [one.id, one.failed[0]?.criterion, one.failed[0]?.expected])).toEqual([
      [id, "receivedAfter", later],
    ]);
  });

  test.each([["after"], ["page"]])("names a match that %s excludes", async (parameter) => {
    const server = await api.addServer();
    const id = await api.deliver(server, { subject: "Welcome" });
    const explanation = await explain(server, { subject: "welcome" }, `&${parameter}=5`);
    expect(explanation.nearest.map((one) => [one.id, one.failed[0]?.criterion])).toEqual([[id, parameter]]);
  });

  test("names a match of the other direction, and one in another server of the key", async () => {
    const [server, other] = [await api.addServer(), await api.addServer()];
    const subject = `Only ${other.id}`;
    const id = await api.deliver(other, { subject });
    expect(failuresOf(await explain(other, { subject }, "&dir=Sent"))).toEqual([
      [id, [["dir", "search with dir=Received"]]],
    ]);
    const reply = await api.ask(`POST /api/messages/search?server=${server.id}&explain=true`, { body: { subject } });
    expect(reply.json<Explained>().explanation?.nearest).toMatchObject([
      { id, server: other.id, failed: [{ criterion: "server", expected: server.id, actual: [other.id] }] },
    ]);
  });

  test("does not look into other servers for a key of one server", async () => {
    const [server, other] = [await api.addServer(), await api.addServer()];
    await api.deliver(other, { subject: "elsewhere" });
    expect(await explain(server, { subject: "elsewhere" })).toMatchObject({ arrived: 0, nearest: [] });
  });

  test("names at most five of a hundred messages, and says that more arrived", async () => {
    const server = await api.addServer();
    for (let count = 0; count < 102; count += 1) await api.deliver(server, { subject: `Mail ${String(count)}` });
    const explanation = await explain(server, { subject: "Mail 999", body: "nowhere" });
    expect(explanation).toMatchObject({ arrived: 100, hasMore: true });
    expect(explanation.nearest).toHaveLength(5);
  });

  test("returns the matches without an explanation when there are enough", async () => {
    const server = await api.addServer();
    const id = await api.deliver(server, { subject: "Welcome" });
    for (const query of ["", "&full=true"]) {
      const { items, explanation } = (await search(server, { subject: "welcome" }, query)).json<Explained>();
      expect([items.map((one) => one.id), explanation]).toEqual([[id], null]);
    }
    const { items, explanation } = (await search(server, { subject: "welcome" }, "&count=2")).json<Explained>();
    expect([items.length, explanation?.nearest]).toEqual([1, []]);
  });

  test("shortens long values", async () => {
    const server = await api.addServer();
    await api.deliver(server, { subject: "long ".repeat(2000) });
    const [nearest] = (await explain(server, { subject: "x".repeat(1000) })).nearest;
    const { expected, actual } = nearest?.failed[0] ?? {};
    expect([expected?.length, actual?.[0]?.length, nearest?.subject.length]).toEqual([200, 200, 200]);
  });
});
