import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireServer } from "../../wire/server-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("PUT /api/servers/:id", () => {
  test("keeps absent members", async () => {
    const { id } = await api.addServer("old");
    const put = async (body: unknown): Promise<WireServer> =>
      (await api.ask(`PUT /api/servers/${id}`, { body })).json();
    expect(await put({ users: ["u1", "u2"] })).toMatchObject({ name: "old", users: ["u1", "u2"] });
    expect(await put({ name: "dart sends the name only" })).toMatchObject({
      name: "dart sends the name only",
      users: ["u1", "u2"],
    });
    expect(await put({ Id: "other", Name: "n", Users: ["u1"], Messages: 99 })).toMatchObject({
      id,
      name: "n",
      users: ["u1"],
      messages: 0,
    });
    expect(await put({ retention: { ageSecondsMax: 60, messageCountMax: 5 } })).toMatchObject({
      name: "n",
      retention: { ageSecondsMax: 60 },
    });
    expect(await put({ retention: { ageSecondsMax: null } })).toMatchObject({
      retention: { ageSecondsMax: null, messageCountMax: 5 },
    });
    expect(await put({ users: [] })).toMatchObject({ users: [] });
    expect(await put({})).toMatchObject({ name: "n", users: [] });
  });

  test.each([
    [{ name: " " }, "name"],
    [{ name: 5 }, "name"],
    [{ users: "u" }, "users"],
    [{ retention: { ageSecondsMax: 0 } }, "retention.ageSecondsMax"],
    [{ retention: { messageCountMax: -1 } }, "retention.messageCountMax"],
    [{ quota: { messages: 0 } }, "quota.messages"],
    [{ quota: { bytes: 1.5 } }, "quota.bytes"],
  ])("responds 400 to %j", async (body, field) => {
    const { id } = await api.addServer();
    expect((await api.ask(`PUT /api/servers/${id}`, { body })).json()).toMatchObject({
      status: 400,
      errors: [{ field }],
    });
  });

  test("changes members of the quota with an account key", async () => {
    const { id } = await api.addServer();
    const put = async (quota: unknown): Promise<WireServer> =>
      (await api.ask(`PUT /api/servers/${id}`, { body: { quota } })).json();
    expect(await put({ messages: 10 })).toMatchObject({ quota: { messages: 10, bytes: null } });
    expect(await put({ bytes: 2 ** 40 })).toMatchObject({ quota: { messages: 10, bytes: 2 ** 40 } });
    expect(await put({ messages: null })).toMatchObject({
      quota: { messages: null, bytes: 2 ** 40 },
      usage: { messages: 0, bytes: 0 },
    });
  });

  test("responds 403 when a key of the server changes its quota, but accepts the current one", async () => {
    const { id, key } = await api.addServer();
    const put = async (quota: unknown): Promise<number> =>
      (await api.ask(`PUT /api/servers/${id}`, { body: { quota }, key })).statusCode;
    expect(await put({ messages: 10 })).toBe(403);
    expect(await put({ messages: null, bytes: null })).toBe(200);
  });

  test.each(unknownIds)("responds 404 for %s", async (id) => {
    expect((await api.ask(`PUT /api/servers/${id}`, { body: { name: "n" } })).statusCode).toBe(404);
  });
});
