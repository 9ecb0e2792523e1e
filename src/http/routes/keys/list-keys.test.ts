import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireKey, WireNewKey } from "../../wire/account-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<WireNewKey> => (await api.ask("POST /api/keys", { body })).json();

describe("GET /api/keys", () => {
  test("lists all keys, oldest first, without secrets", async () => {
    api.clock.advance(1);
    const created = await create({ name: "listed" });
    const reply = await api.ask("GET /api/keys");
    const keys = reply.json<WireKey[]>();
    expect(keys[0]).toMatchObject({ name: "account", server: null });
    expect(keys.map(({ id }) => id)).toContain(created.id);
    const members = ["id", "name", "server", "createdAt", "scope", "expires", "requestsPerMinute", "networks"];
    for (const key of keys) expect(Object.keys(key)).toEqual([...members, "lastUsed", "user", "team", "formerUntil"]);
    expect(reply.body).not.toContain(created.key);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await api.addServer();
    expect((await api.ask("GET /api/keys", { key })).statusCode).toBe(403);
  });
});
