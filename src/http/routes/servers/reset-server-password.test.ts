import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WirePassword } from "../../wire/server-schema.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("POST /api/servers/:id/password", () => {
  test("replaces the password and returns the new one", async () => {
    const { id, key } = await api.addServer();
    const path = `/api/servers/${id}/password`;
    const old = (await api.ask(`GET ${path}`)).json<WirePassword>();
    const reset = await api.ask(`POST ${path}`, { key });
    expect(reset.statusCode).toBe(200);
    expect(reset.json<WirePassword>().value).toMatch(/^[\w-]{16}$/);
    expect(reset.json<WirePassword>()).not.toEqual(old);
    expect((await api.ask(`GET ${path}`)).json()).toEqual(reset.json());
  });

  test.each(["aaaaaaaa", "not_found"])("responds 404 for an unknown server: %s", async (id) => {
    expect((await api.ask(`POST /api/servers/${id}/password`)).statusCode).toBe(404);
  });

  test("rejects a key with the scope read", async () => {
    const { id } = await api.addServer();
    const created = await api.ask("POST /api/keys", { body: { server: id, scope: "read" } });
    const { key } = created.json<{ key: string }>();
    expect((await api.ask(`POST /api/servers/${id}/password`, { key })).statusCode).toBe(403);
  });
});
