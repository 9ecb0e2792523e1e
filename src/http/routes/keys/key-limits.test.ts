/** Limits of keys (scope, expiry, rate, networks), their rotation and their storage. */
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countForeignKeys } from "../../../operations/services/security/stored-secrets.ts";
import { createSecretBox } from "../../../operations/services/security/secret-box.ts";
import { permissionOf, type Route } from "../../route.ts";
import { routeTable } from "../../route-table.ts";
import {
  openHttpTestServer,
  type Ask,
  type HttpTestServer,
  type Reply,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireKey, WireNewKey } from "../../wire/account-schema.ts";

let api: HttpTestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
});
afterEach(async () => api[Symbol.asyncDispose]());

const post = async (path: string, body: unknown = {}): Promise<Reply> => api.ask(`POST ${path}`, { body });
const create = async (body: unknown): Promise<WireNewKey> => (await post("/api/keys", body)).json();
const status = async (line: string, key: string, ask: Ask = {}): Promise<number> =>
  (await api.ask(line, { ...ask, key })).statusCode;
const shown = async (id: string): Promise<WireKey | undefined> =>
  (await api.ask("GET /api/keys")).json<WireKey[]>().find((key) => key.id === id);

describe("a key's scope", () => {
  const isKeyed = (route: Route): boolean => route.access === "key" || route.access === "account";
  const lineOf = ({ method, path }: Route, id: string): string =>
    `${method} ${path.replace(":id", id)}${path.includes("messages") || path === "/api/events" ? `?server=${id}` : ""}`;

  test("read: responds 403 to requests that create, change, send or delete", async () => {
    const server = await api.addServer();
    const { key } = await create({ scope: "read" });
    const rejected = routeTable.filter(
      (route) => isKeyed(route) && ["send", "manage", "settings"].includes(permissionOf(route)),
    );
    expect(rejected.length).toBeGreaterThan(20);
    for (const route of rejected) {
      for (const id of [server.id, "nowhere1"])
        expect([lineOf(route, id), await status(lineOf(route, id), key)]).toEqual([lineOf(route, id), 403]);
    }
    const mutating = routeTable.filter(
      (route) => isKeyed(route) && permissionOf(route) === "read" && route.method !== "GET",
    );
    expect(mutating.map(({ path }) => path)).toEqual([
      "/api/messages/search",
      "/api/messages/journey",
      "/api/analysis/budget/:id",
      "/api/analysis/snapshot/:id",
      "/api/analysis/screenshot/:id",
      "/api/analysis/localisation",
      "/api/messages/:id/screenshots",
      "/api/messages/:id/previews",
      "/api/devices/otp",
      "/web/tickets",
      "/web/passages",
      "/web/count",
    ]);
    expect(await status(`GET /api/messages?server=${server.id}`, key)).toBe(200);
    expect(await status(`POST /api/messages/search?server=${server.id}`, key, { body: { subject: "x" } })).toBe(200);
  });

  test("send: creates and sends, also in the providers' formats, and reads nothing", async () => {
    const server = await api.addServer();
    const { key } = await create({ scope: "send", server: server.id });
    expect(await status(`POST /api/messages?server=${server.id}`, key, { body: {} })).toBe(200);
    const rejected = routeTable.filter(
      (route) => isKeyed(route) && ["read", "manage", "settings"].includes(permissionOf(route)),
    );
    for (const route of rejected) {
      expect([lineOf(route, server.id), await status(lineOf(route, server.id), key)]).toEqual([
        lineOf(route, server.id),
        403,
      ]);
    }
    const form = "From=App&To=%2B15550100&Body=Hi";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const twilio = "/2010-04-01/Accounts/AC1/Messages.json";
    expect(await status(`POST ${twilio}`, key, { body: form, headers })).toBe(201);
    expect((await api.ask(`GET ${twilio}`, { key })).json()).toMatchObject({ code: 20003 });
    const reader = await create({ scope: "read", server: server.id });
    expect((await api.ask(`POST ${twilio}`, { key: reader.key, body: form, headers })).json()).toMatchObject({
      code: 20003,
    });
    const vonage = { api_key: "x", api_secret: reader.key, from: "App", to: "15550100", text: "Hi" };
    const sent = await api.ask("POST /sms/json", { key: null, body: vonage });
    expect(sent.json()).toMatchObject({ messages: [{ status: "4" }] });
  });

  test.each([
    { scope: "admin" },
    { networks: ["example.com"] },
    { networks: ["192.0.2.0/33"] },
    { networks: Array.from({ length: 101 }, () => "::1") },
    { requestsPerMinute: 0 },
    { requestsPerMinute: 1_000_001 },
    { expires: "tomorrow" },
    { expires: "2025-01-01T00:00:00Z" },
    { expires: "2026-01-01T00:00:00.000Z" },
  ])("responds 400 to %j", async (body) => {
    const reply = await post("/api/keys", body);
    expect([reply.statusCode, reply.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([
      400,
      Object.keys(body)[0],
    ]);
  });
});

describe("a key's expiry", () => {
  test("invalidates the key, its session and its event streams at that instant", async () => {
    const created = await create({ expires: "2026-01-01T00:10:00Z" });
    expect(created.expires).toBe("2026-01-01T00:10:00.000Z");
    api.clock.advance(599_999);
    expect(await status("GET /api/servers", created.key)).toBe(200);
    api.clock.advance(1);
    expect(await status("GET /api/servers", created.key)).toBe(401);
  });
});

describe("a key's rate", () => {
  test("responds 429 with Retry-After beyond the limit until the minute is over; other keys are not affected", async () => {
    const { key } = await create({ requestsPerMinute: 3 });
    for (let count = 0; count < 3; count += 1) expect(await status("GET /api/servers", key)).toBe(200);
    api.clock.advance(20_000);
    const reply = await api.ask("GET /api/servers", { key });
    expect([reply.statusCode, reply.headers["retry-after"]]).toEqual([429, "40"]);
    expect(await status("GET /api/servers", api.accountKey)).toBe(200);
    api.clock.advance(40_000);
    expect(await status("GET /api/servers", key)).toBe(200);
  });
});

describe("a key's networks", () => {
  test("responds 401 from other networks, as for a wrong key, also for signing in", async () => {
    const { key } = await create({ networks: ["192.0.2.0/24", "2001:db8::1"] });
    for (const [remoteAddress, expected] of [
      ["192.0.2.77", 200],
      ["2001:db8::1", 200],
      ["::ffff:192.0.2.5", 200],
      ["198.51.100.1", 401],
      ["2001:db8::2", 401],
    ] as const) {
      expect([remoteAddress, await status("GET /api/servers", key, { remoteAddress })]).toEqual([
        remoteAddress,
        expected,
      ]);
    }
  });
});

describe("a key's last use", () => {
  test("is stored at most once a minute, without delaying requests", async () => {
    const note = vi.spyOn(api.context.store, "noteKeyUse");
    const { key, id, lastUsed } = await create({});
    expect(lastUsed).toBeNull();
    note.mockClear();
    for (let count = 0; count < 5; count += 1) await status("GET /api/servers", key);
    expect(note.mock.calls).toEqual([[id, api.clock.now()]]);
    await expect.poll(async () => (await shown(id))?.lastUsed).toBe("2026-01-01T00:00:00.000Z");
    api.clock.advance(60_000);
    note.mockReturnValueOnce(new Promise(() => undefined));
    expect(await status("GET /api/servers", key)).toBe(200);
    expect(note).toHaveBeenCalledTimes(2);
  });
});

describe("POST /api/keys/:id/rotate", () => {
  test("returns a new secret; the former one stays valid for the grace period", async () => {
    const created = await create({ name: "CI", scope: "read" });
    const rotated = (await post(`/api/keys/${created.id}/rotate`, { graceSeconds: 60 })).json<WireNewKey>();
    expect(rotated).toMatchObject({
      id: created.id,
      name: "CI",
      scope: "read",
      formerUntil: "2026-01-01T00:01:00.000Z",
    });
    expect(rotated.key).not.toBe(created.key);
    for (const key of [created.key, rotated.key]) expect(await status("GET /api/servers", key)).toBe(200);
    api.clock.advance(60_000);
    expect(await status("GET /api/servers", created.key)).toBe(401);
    expect(await status("GET /api/servers", rotated.key)).toBe(200);
  });

  test("keeps the former secret valid for a day without a body, and revokes it at once for 0", async () => {
    const created = await create({});
    const first = (await api.ask(`POST /api/keys/${created.id}/rotate`)).json<WireNewKey>();
    expect(first.formerUntil).toBe("2026-01-02T00:00:00.000Z");
    const second = (await post(`/api/keys/${created.id}/rotate`, { graceSeconds: 0 })).json<WireNewKey>();
    expect(second.formerUntil).toBeNull();
    expect(await Promise.all([created, first, second].map(async ({ key }) => status("GET /api/servers", key)))).toEqual(
      [401, 401, 200],
    );
  });

  test.each([{ graceSeconds: -1 }, { graceSeconds: 2_592_001 }, { graceSeconds: 1.5 }])(
    "responds 400 to %j",
    async (body) => {
      const { id } = await create({});
      expect((await post(`/api/keys/${id}/rotate`, body)).statusCode).toBe(400);
    },
  );

  test("responds 404 for an unknown key, 403 to a restricted key and 409 for the key of RESTANTE_API_KEY", async () => {
    const { key } = await api.addServer();
    const { id } = await create({ name: "RESTANTE_API_KEY" });
    expect((await post("/api/keys/none/rotate")).statusCode).toBe(404);
    expect(await status(`POST /api/keys/${id}/rotate`, key, { body: {} })).toBe(403);
    expect((await post(`/api/keys/${id}/rotate`)).statusCode).toBe(409);
  });
});

describe("stored keys", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const stored = async (): Promise<readonly string[]> => (await api.context.store.listKeys()).map(({ hash }) => hash);

  test("are HMACs with the secret key of the service", async () => {
    const { key } = await create({});
    for (const hash of await stored()) expect(hash).toMatch(/^hmac:[0-9a-f]{8}:[0-9a-f]{64}$/);
    expect((await stored()).join()).not.toContain(sha256(key));
  });

  test("countForeignKeys counts the keys of another secret key", async () => {
    const { store } = api.context;
    expect(await countForeignKeys(store, api.context.secrets)).toBe(0);
    const secrets = createSecretBox(Buffer.from("a secret key of another service"));
    expect(await countForeignKeys(store, secrets)).toBe((await stored()).length);
  });
});
