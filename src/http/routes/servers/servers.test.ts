import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpDoor, type HttpDoor, type Reply } from "../../../testing/http-door.ts";
import type { WireNewServer, WireServer } from "../../wire/server-schema.ts";

let door: HttpDoor;

beforeAll(async () => {
  door = await openHttpDoor();
});
afterAll(async () => door[Symbol.asyncDispose]());

const create = async (body: unknown): Promise<Reply> => door.ask("POST /api/servers", { body });
const unknownIds = ["aaaaaaaa", "not_found", "6d1b9d4e-0000-4000-8000-000000000000", "..%2f"];

describe("POST /api/servers", () => {
  test("200: a server whose first members are those that the libraries know", async () => {
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
      retired: 0,
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: null,
    });
    expect(Object.keys(server).slice(0, 4)).toEqual(["id", "name", "users", "messages"]);
  });

  test.each([
    ["PHP's slash", "POST /api/servers/", { name: "n" }],
    [".NET's names", "POST /api/servers", { Name: "n" }],
  ])("200: %s", async (_what, line, body) => {
    expect((await door.ask(line, { body })).json<WireServer>().name).toBe("n");
  });

  test("200: with a key of its own and an end", async () => {
    const server = (await create({ name: "n", withKey: true, ttlSeconds: 60 })).json<WireNewServer>();
    expect(server.expiresAt).toBe("2026-01-01T00:01:00.000Z");
    const seen = (await door.ask("GET /api/servers", { key: server.key ?? "" })).json<WireServer[]>();
    expect(seen.map(({ id }) => id)).toEqual([server.id]);
  });

  test.each([{}, undefined, { name: null }, { name: "" }, { name: "  " }, { Name: "" }])(
    "400: %j, in the words that the libraries know",
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
  ])("400: %j", async (body, field) => {
    expect((await create(body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
  });

  test("200: a name of 200 characters", async () => {
    expect((await create({ name: "x".repeat(200) })).statusCode).toBe(200);
  });

  test("403: a restricted key", async () => {
    const { key } = await door.addServer();
    expect((await door.ask("POST /api/servers", { key, body: { name: "n" } })).json()).toMatchObject({
      type: "Forbidden",
      status: 403,
    });
  });
});

describe("GET /api/servers", () => {
  test("200: an array by name, items for official libraries", async () => {
    const names = ["b", "A", "c"].map((name) => `sorted ${name}`);
    for (const name of names) await create({ name });
    const servers = (await door.ask("GET /api/servers")).json<WireServer[]>();
    const sorted = servers.map((server) => server.name).filter((name) => name.startsWith("sorted"));
    expect(sorted).toEqual(["sorted A", "sorted b", "sorted c"]);
    const official = await door.ask("GET /api/servers", { headers: { "user-agent": "mailosaur-go/2.0.0" } });
    expect(official.json<{ items: WireServer[] }>().items).toEqual(servers);
    expect(official.headers["vary"]).toBe("user-agent");
  });
});

describe("GET /api/servers/:id", () => {
  test("200: the server, with the number of its messages", async () => {
    const { id, key } = await door.addServer("counted");
    await door.deliver({ id, key });
    const server = (await door.ask(`GET /api/servers/${id}`, { key })).json<WireServer>();
    expect([server.id, server.name, server.messages]).toEqual([id, "counted", 1]);
  });

  test.each(unknownIds)("404: %s", async (id) => {
    expect((await door.ask(`GET /api/servers/${id}`)).statusCode).toBe(404);
  });
});

describe("PUT /api/servers/:id", () => {
  test("200: what the body leaves out stays", async () => {
    const { id } = await door.addServer("old");
    const put = async (body: unknown): Promise<WireServer> =>
      (await door.ask(`PUT /api/servers/${id}`, { body })).json();
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
  ])("400: %j", async (body, field) => {
    const { id } = await door.addServer();
    expect((await door.ask(`PUT /api/servers/${id}`, { body })).json()).toMatchObject({
      status: 400,
      errors: [{ field }],
    });
  });

  test.each(unknownIds)("404: %s", async (id) => {
    expect((await door.ask(`PUT /api/servers/${id}`, { body: { name: "n" } })).statusCode).toBe(404);
  });
});

describe("GET /api/servers/:id/password", () => {
  test("200: the same each time, of at least eight characters", async () => {
    const { id } = await door.addServer();
    const { value } = (await door.ask(`GET /api/servers/${id}/password`)).json<{ value: string }>();
    expect(value.length).toBeGreaterThanOrEqual(8);
    expect((await door.ask(`GET /api/servers/${id}/password`)).json()).toEqual({ value });
  });

  test.each(unknownIds)("404: %s", async (id) => {
    expect((await door.ask(`GET /api/servers/${id}/password`)).statusCode).toBe(404);
  });
});

describe("DELETE /api/servers/:id", () => {
  test("204: the server, its messages and its keys are gone", async () => {
    const server = await door.addServer();
    const message = await door.deliver(server);
    expect((await door.ask(`DELETE /api/servers/${server.id}`)).statusCode).toBe(204);
    for (const path of [`servers/${server.id}`, `messages/${message}`, `messages?server=${server.id}`]) {
      expect((await door.ask(`GET /api/${path}`)).statusCode).toBe(404);
    }
    expect((await door.ask("GET /api/servers", { key: server.key })).statusCode).toBe(401);
  });

  test("403: a restricted key, for its own server", async () => {
    const { id, key } = await door.addServer();
    expect((await door.ask(`DELETE /api/servers/${id}`, { key })).statusCode).toBe(403);
  });

  test("404: deleting again, and what never was", async () => {
    const { id } = await door.addServer();
    expect((await door.ask(`DELETE /api/servers/${id}`)).statusCode).toBe(204);
    for (const each of [id, ...unknownIds])
      expect((await door.ask(`DELETE /api/servers/${each}`)).statusCode).toBe(404);
  });
});
