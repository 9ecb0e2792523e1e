import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("DELETE /api/servers/:id", () => {
  test("deletes the server, its messages and its keys", async () => {
    const server = await api.addServer();
    const message = await api.deliver(server);
    expect((await api.ask(`DELETE /api/servers/${server.id}`)).statusCode).toBe(204);
    for (const path of [`servers/${server.id}`, `messages/${message}`, `messages?server=${server.id}`]) {
      expect((await api.ask(`GET /api/${path}`)).statusCode).toBe(404);
    }
    expect((await api.ask("GET /api/servers", { key: server.key })).statusCode).toBe(401);
  });

  test("responds 403 to a restricted key, also for its own server", async () => {
    const { id, key } = await api.addServer();
    expect((await api.ask(`DELETE /api/servers/${id}`, { key })).statusCode).toBe(403);
  });

  test("responds 404 when it is repeated and for unknown servers", async () => {
    const { id } = await api.addServer();
    expect((await api.ask(`DELETE /api/servers/${id}`)).statusCode).toBe(204);
    for (const each of [id, ...unknownIds]) expect((await api.ask(`DELETE /api/servers/${each}`)).statusCode).toBe(404);
  });
});
