import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type Reply } from "../../../testing/http-test-server.test-aid.ts";
import type { WireNewServer, WireServer } from "../../wire/server-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<Reply> => api.ask("POST /api/servers", { body });

describe("POST /api/servers", () => {
  test("returns a server whose first members are those of the official libraries", async () => {
    const reply = await create({ name: "My … 👍🏽 server" });
    expect(reply.statusCode).toBe(200);
    const server = reply.json<WireServer>();
    expect(server.id).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(server).toEqual({
      id: server.id,
      name: "My … 👍🏽 server",
      users: [],
      messages: 0,
      retention: { ageSecondsMax: null, messageCountMax: null },
      quota: { messages: null, bytes: null },
      usage: { messages: 0, bytes: 0 },
      readerDeletion: "delete",
      team: null,
      retired: 0,
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: null,
      isProtected: false,
    });
    expect(Object.keys(server).slice(0, 4)).toEqual(["id", "name", "users", "messages"]);
  });

  test.each([
    ["PHP's slash", "POST /api/servers/", { name: "n" }],
    [".NET's names", "POST /api/servers", { Name: "n" }],
  ])("accepts %s", async (_what, line, body) => {
    expect((await api.ask(line, { body })).json<WireServer>().name).toBe("n");
  });

  test("creates a server with a key and an expiry", async () => {
    const server = (await create({ name: "n", withKey: true, ttlSeconds: 60 })).json<WireNewServer>();
    expect(server.expiresAt).toBe("2026-01-01T00:01:00.000Z");
    const seen = (await api.ask("GET /api/servers", { key: server.key ?? "" })).json<WireServer[]>();
    expect(seen.map(({ id }) => id)).toEqual([server.id]);
  });

  test.each([{}, undefined, { name: null }, { name: "" }, { name: "  " }, { Name: "" }])(
    "responds 400 to %j with the text that official libraries know",
    async (body) => {
      expect((await create(body)).body).toBe(
        '{"type":"ValidationError","status":400,"message":"The request has invalid parameters",' +
          '"errors":[{"field":"name","detail":[{"description":"Servers need a name","code":"required"}]}]}',
      );
    },
  );

  test.each([
    [{ name: 5 }, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ name: "n", ttlSeconds: 0 }, "ttlSeconds"],
    [{ name: "n", ttlSeconds: "60" }, "ttlSeconds"],
    [{ name: "n", withKey: 1 }, "withKey"],
    [{ name: "n", readerDeletion: "keep" }, "readerDeletion"],
  ])("responds 400 to %j", async (body, field) => {
    expect((await create(body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });

  test("accepts a name of 200 characters", async () => {
    expect((await create({ name: "x".repeat(200) })).statusCode).toBe(200);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await api.addServer();
    expect((await api.ask("POST /api/servers", { key, body: { name: "n" } })).json()).toMatchObject({
      type: "Forbidden",
      status: 403,
    });
  });
});
