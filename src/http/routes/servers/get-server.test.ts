import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireServer } from "../../wire/server-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("GET /api/servers/:id", () => {
  test("returns the server with the number of its messages", async () => {
    const { id, key } = await api.addServer("counted");
    await api.deliver({ id, key });
    const server = (await api.ask(`GET /api/servers/${id}`, { key })).json<WireServer>();
    expect([server.id, server.name, server.messages]).toEqual([id, "counted", 1]);
  });

  test.each(unknownIds)("responds 404 for %s", async (id) => {
    expect((await api.ask(`GET /api/servers/${id}`)).statusCode).toBe(404);
  });
});
