import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("DELETE /api/messages", () => {
  test("empties the server at once, and leaves others", async () => {
    const [server, other] = [await api.addServer(), await api.addServer()];
    const deletedPaths = [await api.deliver(server), await api.deliver(server)];
    const kept = await api.deliver(other);
    const reply = await api.ask(`DELETE /api/messages?server=${server.id}`);
    expect([reply.statusCode, reply.body]).toEqual([204, ""]);
    expect((await api.ask(`GET /api/messages?server=${server.id}`)).body).toBe("[]");
    for (const id of deletedPaths) expect((await api.ask(`GET /api/messages/${id}`)).statusCode).toBe(404);
    expect((await api.ask(`GET /api/messages/${kept}`)).statusCode).toBe(200);
  });

  test("responds 204 for an empty server", async () => {
    const server = await api.addServer();
    expect((await api.ask(`DELETE /api/messages?server=${server.id}`, { key: server.key })).statusCode).toBe(204);
  });

  test("responds 400 without a server", async () => {
    expect((await api.ask("DELETE /api/messages")).json()).toMatchObject({
      status: 400,
      errors: [{ field: "server" }],
    });
  });

  test.each(["aaaaaaaa", "not_found"])("responds 404 for %s", async (id) => {
    expect((await api.ask(`DELETE /api/messages?server=${id}`)).statusCode).toBe(404);
  });
});
