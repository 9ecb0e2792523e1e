import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Summary } from "../../../core/message.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const subjectsOf = async ({ id }: TestServer): Promise<readonly string[]> =>
  (await api.ask(`GET /api/messages?server=${id}`)).json<Summary[]>().map(({ subject }) => subject);

describe("saved searches", () => {
  const put = async (server: TestServer, name: string, q: string): Promise<Reply> =>
    await api.ask(`PUT /api/servers/${server.id}/searches/${encodeURIComponent(name)}`, {
      body: { q },
      key: server.key,
    });

  test("are created, replaced by name, listed and deleted", async () => {
    const server = await api.addServer();
    const path = `/api/servers/${server.id}/searches`;
    expect((await put(server, "Un/paid", "tag:invoice")).json()).toEqual({ name: "Un/paid", q: "tag:invoice" });
    api.clock.advance(1);
    await put(server, "Second", "a OR b");
    await put(server, "UN/PAID", "tag:invoice -tag:paid");
    expect((await api.ask(`GET ${path}`)).json()).toEqual([
      { name: "UN/PAID", q: "tag:invoice -tag:paid" },
      { name: "Second", q: "a OR b" },
    ]);
    expect((await api.ask(`DELETE ${path}/second`)).statusCode).toBe(204);
    expect((await api.ask(`DELETE ${path}/second`)).statusCode).toBe(404);
    expect((await api.ask("GET /api/audit?itemsPerPage=2")).json()).toMatchObject([
      { action: "saved_search.delete", server: server.id },
      { action: "saved_search.put", server: server.id },
    ]);
  });

  test.each([
    ["x".repeat(101), "a", "name"],
    ["name", "larger:x", "q"],
    ["name", "from:", "q"],
    ["name", "", "q"],
  ])("are a 400 with the name %s and the query %s", async (name, q, field) => {
    const reply = await put(await api.addServer(), name, q);
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });

  test("are at most 100 in a server", async () => {
    const server = await api.addServer();
    for (let n = 0; n < 100; n += 1) await put(server, `n${n}`, "a");
    expect((await put(server, "one more", "a")).statusCode).toBe(429);
    expect((await put(server, "N7", "b")).statusCode).toBe(200);
  });
});

describe("a deletion by search", () => {
  test("deletes what matches, and nothing for a query without terms", async () => {
    const server = await api.addServer();
    for (const subject of ["one", "two", "two b", "three"]) await api.deliver(server, { subject });
    const path = `DELETE /api/messages/search?server=${server.id}`;
    for (const query of ["", "&q=", "&q=%20", "&q=from%3A", "&q=%22%22"]) {
      expect((await api.ask(`${path}${query}`)).statusCode).toBe(400);
    }
    expect((await api.ask(`DELETE /api/messages?server=${server.id}&q=two`)).statusCode).toBe(400);
    expect(await subjectsOf(server)).toHaveLength(4);
    const reply = await api.ask(`${path}&q=subject%3Atwo`, { key: server.key });
    expect([reply.statusCode, reply.json()]).toEqual([200, { deleted: 2, hasMore: false }]);
    expect(await subjectsOf(server)).toEqual(["three", "one"]);
    expect((await api.ask("GET /api/audit?itemsPerPage=1")).json()).toMatchObject([
      { action: "message.delete_matching", server: server.id, details: { deleted: 2 } },
    ]);
    expect((await api.ask(`${path}&q=subject%3Aone&dir=Sent`)).json()).toEqual({ deleted: 0, hasMore: false });
    api.clock.advance(3_600_000);
    expect((await api.ask(`${path}&q=before%3A30m`)).json()).toEqual({ deleted: 2, hasMore: false });
  });
});

describe("a release", () => {
  test("sends the mail as it was received to allowed recipients only", async () => {
    const [server, other] = [await api.addServer(), await api.addServer()];
    const raw =
      "From: a@app.example\r\nTo: customer@shop.example\r\nSubject: Order\r\nX-Odd:  folded\r\n kept\r\n\r\nHi\r\n";
    const id = await api.deliver(server, { raw });
    const release = async (body: unknown, of: string = id): Promise<Reply> =>
      await api.ask(`POST /api/messages/${of}/release`, { body });
    const stored = async (of: string): Promise<string> => (await api.ask(`GET /api/files/email/${of}`)).body;
    const sent = await release({ to: [`qa@${other.id}.restante.test`] });
    expect([sent.statusCode, sent.json<{ subject: string }>().subject]).toEqual([200, "Order"]);
    const [received] = (await api.ask(`GET /api/messages?server=${other.id}`)).json<Summary[]>();
    expect(await stored(received?.id ?? "")).toBe(await stored(id));
    expect(received?.bcc).toMatchObject([{ email: `qa@${other.id}.restante.test` }]);
    for (const to of [
      [],
      ["customer@shop.example"],
      ["two@x.test, three@x.test"],
      Array.from({ length: 21 }, () => "a@b.c"),
    ]) {
      const refused = await release({ to });
      expect([refused.statusCode, refused.json<WireError>().errors[0]?.field]).toEqual([400, "to"]);
    }
    const sms = await api.ask("POST /api/sms", { body: { from: "App", to: "+15550123", text: "Hi" } });
    expect(sms.statusCode).toBe(200);
    const reply = await release({ to: [`qa@${other.id}.restante.test`] }, sms.json<{ id: string }>().id);
    expect(reply.statusCode).toBe(400);
  });
});
