import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireNewKey } from "../../wire/account-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await api.ask("POST /api/keys", { body })).json();

describe("DELETE /api/keys/:id", () => {
  test("revokes the key", async () => {
    const created = await create({});
    expect((await api.ask(`DELETE /api/keys/${created.id}`)).statusCode).toBe(204);
    expect((await api.ask("GET /api/servers", { key: created.key })).statusCode).toBe(401);
    expect((await api.ask(`DELETE /api/keys/${created.id}`)).statusCode).toBe(404);
  });

  test("responds 409 for the key of the request itself", async () => {
    const created = await create({});
    expect((await api.ask(`DELETE /api/keys/${created.id}`, { key: created.key })).statusCode).toBe(409);
    expect((await api.ask("GET /api/servers", { key: created.key })).statusCode).toBe(200);
  });

  test("responds 404 for an unknown key", async () => {
    expect((await api.ask("DELETE /api/keys/nonsense")).statusCode).toBe(404);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await api.addServer();
    expect((await api.ask("DELETE /api/keys/x", { key })).statusCode).toBe(403);
  });
});
