import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Summary } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
const sent: string[] = [];

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  for (let at = 0; at < 5; at += 1) sent.unshift(await api.deliver(server, { subject: `number ${String(at)} … 👍🏽` }));
});
afterAll(async () => api[Symbol.asyncDispose]());

const list = async (query = "", headers: Record<string, string> = {}): Promise<Reply> =>
  api.ask(`GET /api/messages?server=${server.id}${query}`, { headers });
const idsIn = (reply: Reply): readonly string[] => reply.json<Summary[]>().map((summary) => summary.id);

describe("GET /api/messages", () => {
  test("returns an array of summaries, newest first", async () => {
    const reply = await list();
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(idsIn(reply)).toEqual(sent);
    expect(reply.json<Summary[]>()[0]).toEqual({
      id: sent[0],
      type: "Email",
      server: server.id,
      subject: "number 4 … 👍🏽",
      from: [{ name: "", email: "app@sender.example", phone: null }],
      to: [{ name: "", email: `someone@${server.id}.restante.test`, phone: null }],
      cc: [],
      bcc: [],
      received: "2026-01-01T00:00:00.005Z",
      summary: "Hello there.",
      attachments: 0,
    });
  });

  test("returns items to official libraries, with Vary", async () => {
    const reply = await list("", { "user-agent": "mailosaur-python/8.0.0" });
    expect(reply.json<{ items: Summary[] }>().items.map(({ id }) => id)).toEqual(sent);
    expect(reply.headers["vary"]).toBe("user-agent");
    expect((await list()).headers["vary"]).toBe("user-agent");
  });

  test("returns pages from 0, with a total and a link to the next", async () => {
    const first = await list("&itemsPerPage=2");
    expect(idsIn(first)).toEqual(sent.slice(0, 2));
    expect(first.headers["x-total-count"]).toBe("5");
    const next = /^<([^>]*)>; rel="next"$/.exec(String(first.headers["link"]))?.[1] ?? "";
    const second = await api.ask(`GET ${next}`);
    expect(idsIn(second)).toEqual(sent.slice(2, 4));
    const last = await list("&itemsPerPage=2&page=2");
    expect(idsIn(last)).toEqual(sent.slice(4));
    expect(last.headers["link"]).toBeUndefined();
  });

  test("returns an empty page outside the range", async () => {
    for (const page of ["5", "2147483648", "9".repeat(50)]) expect(idsIn(await list(`&page=${page}`))).toEqual([]);
  });

  test("returns messages strictly after receivedAfter, in every date format", async () => {
    const received = "2026-01-01T00:00:00.003Z";
    const forms = [
      received,
      String(Date.parse(received)),
      "2026-01-01T01:00:00.0030000%2B01:00",
      "2026-01-01T00:00:00.003",
    ];
    for (const form of forms) expect(idsIn(await list(`&receivedAfter=${form}`))).toEqual(sent.slice(0, 2));
    expect(idsIn(await list("&receivedAfter=2026-01-01T00:00:00.0039Z"))).toEqual(sent.slice(0, 2));
  });

  test("returns the messages after a cursor", async () => {
    const before = (await list()).headers["x-cursor"];
    const other = await api.addServer();
    const [old] = [await api.deliver(other)];
    const cursor = (await api.ask(`GET /api/messages?server=${other.id}`)).headers["x-cursor"];
    const young = await api.deliver(other);
    expect(idsIn(await api.ask(`GET /api/messages?server=${other.id}&after=${String(cursor)}`))).toEqual([young]);
    expect(old).not.toBe(young);
    expect(before).toBe("5");
  });

  test("lists sent messages separately", async () => {
    expect(idsIn(await list("&dir=Sent"))).toEqual([]);
    expect(idsIn(await list("&dir=received"))).toEqual(sent);
  });

  test("returns an empty list for an empty server", async () => {
    const empty = await api.addServer();
    const reply = await api.ask(`GET /api/messages?server=${empty.id}`, { key: empty.key });
    expect([reply.statusCode, reply.body]).toEqual([200, "[]"]);
  });

  test("responds 400 for an unknown direction, except to official libraries", async () => {
    expect((await list("&dir=ASC")).json()).toMatchObject({ status: 400, errors: [{ field: "dir" }] });
    expect((await list("&dir=ASC", { "user-agent": "mailosaur-node/11.0.0" })).statusCode).toBe(200);
  });

  test.each([
    ["itemsPerPage=0", "itemsPerPage"],
    ["itemsPerPage=1001", "itemsPerPage"],
    ["page=-1", "page"],
    ["receivedAfter=2026-02-30", "receivedAfter"],
    ["after=x", "after"],
  ])("responds 400 to %s", async (query, field) => {
    const reply = await list(`&${query}`);
    expect([reply.statusCode, reply.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  });

  test("responds 400 without a server", async () => {
    for (const line of ["GET /api/messages", "GET /api/messages?", "GET /api/messages?server="]) {
      expect((await api.ask(line)).json()).toMatchObject({ status: 400, errors: [{ field: "server" }] });
    }
  });

  test.each(["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "%00", "a'b"])(
    "responds 404 for %s",
    async (id) => {
      expect((await api.ask(`GET /api/messages?server=${id}`)).statusCode).toBe(404);
    },
  );
});
