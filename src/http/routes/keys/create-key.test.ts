import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireNewKey } from "../../wire/account-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await api.ask("POST /api/keys", { body })).json();

describe("POST /api/keys", () => {
  test("creates an account key that is valid at once", async () => {
    const created = await create({ name: "CI" });
    expect(created).toEqual({
      id: created.id,
      name: "CI",
      server: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      scope: "full",
      expires: null,
      requestsPerMinute: null,
      networks: [],
      lastUsed: null,
      user: null,
      team: null,
      formerUntil: null,
      key: created.key,
    });
    expect(created.key.length).toBeGreaterThanOrEqual(32);
    expect((await api.ask("GET /api/keys", { key: created.key })).statusCode).toBe(200);
  });

  test("creates a key of one server", async () => {
    const { id } = await api.addServer();
    expect(await create({ Name: null, Server: id })).toMatchObject({ name: "", server: id });
  });

  test.each([
    [{ name: 5 }, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ server: {} }, "server"],
  ])("responds 400 to %j", async (body, field) => {
    expect((await api.ask("POST /api/keys", { body })).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });

  test.each(["aaaaaaaa", "nonsense"])("responds 404 for the server %s", async (server) => {
    expect((await api.ask("POST /api/keys", { body: { server } })).statusCode).toBe(404);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await api.addServer();
    expect((await api.ask("POST /api/keys", { key, body: {} })).statusCode).toBe(403);
  });
});
