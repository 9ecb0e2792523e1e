import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageLimits } from "../../../operations/account/account.ts";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WireTransaction } from "../../wire/server-schema.ts";

const dayMs = 86_400_000;
const limitsOf = async (api: HttpTestServer): Promise<UsageLimits> => (await api.ask("GET /api/usage/limits")).json();
const daysOf = async (api: HttpTestServer): Promise<readonly WireTransaction[]> =>
  (await api.ask("GET /api/usage/transactions")).json();

describe("a new service", () => {
  let api: HttpTestServer;
  beforeAll(async () => {
    api = await openHttpTestServer();
  });
  afterAll(async () => api[Symbol.asyncDispose]());

  test("has limits that are 32-bit integers of at least 2, and no usage", async () => {
    const limits = await limitsOf(api);
    expect(Object.keys(limits)).toEqual(["servers", "users", "email", "sms"]);
    for (const { limit, current } of Object.values(limits)) {
      expect(Number.isInteger(limit) && limit >= 2 && limit <= 2 ** 31 - 1).toBe(true);
      expect(current).toBe(0);
    }
  });

  test("has two rows of transactions, today first, with full timestamps", async () => {
    expect(await daysOf(api)).toEqual([
      { timestamp: "2026-01-01T00:00:00.000Z", email: 0, sms: 0 },
      { timestamp: "2025-12-31T00:00:00.000Z", email: 0, sms: 0 },
    ]);
  });

  test("returns items to official libraries", async () => {
    const reply = await api.ask("GET /api/usage/transactions", { headers: { "user-agent": "mailosaur-php/8.0.0" } });
    expect(reply.json<{ items: unknown[] }>().items).toHaveLength(2);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await api.addServer();
    for (const line of ["GET /api/usage/limits", "GET /api/usage/transactions"]) {
      expect((await api.ask(line, { key })).statusCode).toBe(403);
    }
  });
});

test("stored messages are counted by day for 31 days, whether or not they are deleted", async () => {
  await using api = await openHttpTestServer();
  const server = await api.addServer();
  await api.ask(`PUT /api/servers/${server.id}`, { body: { users: ["u1", "u2"] } });
  await api.deliver(server);
  const second = await api.deliver(server);
  await api.ask(`DELETE /api/messages/${second}`);
  expect(await limitsOf(api)).toMatchObject({ servers: { current: 1 }, users: { current: 2 }, email: { current: 2 } });
  expect((await daysOf(api)).map(({ email }) => email)).toEqual([2, 0]);

  api.clock.advance(3 * dayMs);
  await api.deliver(server);
  expect((await limitsOf(api)).email.current).toBe(1);
  expect((await daysOf(api)).map(({ email }) => email)).toEqual([1, 0, 0, 2]);

  api.clock.advance(27 * dayMs);
  const month = await daysOf(api);
  expect([month.length, month.at(-1)]).toEqual([31, { timestamp: "2026-01-01T00:00:00.000Z", email: 2, sms: 0 }]);
  api.clock.advance(dayMs);
  expect((await daysOf(api)).map(({ email }) => email)).toEqual([...Array<number>(28).fill(0), 1]);
});

describe("limits", () => {
  test("responds 429 beyond the limit of servers, and accepts one more after a deletion", async () => {
    await using api = await openHttpTestServer({ limits: { serverCountMax: 2 } });
    await api.addServer();
    const { id } = await api.addServer();
    expect((await limitsOf(api)).servers).toEqual({ limit: 2, current: 2 });
    const rejected = await api.ask("POST /api/servers", { body: { name: "third" } });
    expect(rejected.json()).toMatchObject({ type: "LimitReached", status: 429, errors: [] });
    expect(rejected.json<{ message: string }>().message).toContain("limit of 2 servers");
    await api.ask(`DELETE /api/servers/${id}`);
    expect((await api.ask("POST /api/servers", { body: { name: "third" } })).statusCode).toBe(200);
  });

  test("rejects a mail beyond the daily limit without storing it, until the day ends", async () => {
    await using api = await openHttpTestServer({ limits: { emailCountPerDayMax: 2 } });
    const server = await api.addServer();
    await api.deliver(server);
    await api.deliver(server);
    await expect(api.deliver(server)).rejects.toMatchObject({ code: "limit_reached" });
    expect((await api.ask(`GET /api/messages?server=${server.id}`)).json()).toHaveLength(2);
    expect((await limitsOf(api)).email).toEqual({ limit: 2, current: 2 });
    api.clock.advance(dayMs);
    await api.deliver(server);
    expect((await limitsOf(api)).email).toEqual({ limit: 2, current: 1 });
  });

  test("responds 429 beyond the daily limit of SMS on every interface", async () => {
    await using api = await openHttpTestServer({ limits: { smsCountPerDayMax: 2 } });
    const { id: server } = await api.addServer();
    await api.ask("POST /api/phone-numbers", { body: { number: "+15550177", server } });
    const body = { from: "+15550100", to: "+15550177", text: "Hi" };
    for (const _ of [1, 2]) expect((await api.ask("POST /api/sms", { body })).statusCode).toBe(200);
    const rejected = await api.ask("POST /api/sms", { body });
    expect(rejected.json()).toMatchObject({ type: "LimitReached", status: 429 });
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    const provider = await api.ask("POST /2010-04-01/Accounts/AC1/Messages.json", {
      key: null,
      body: "From=%2B15550100&To=%2B15550177&Body=Hi",
      headers: {
        authorization: `Basic ${Buffer.from(`AC1:${api.accountKey}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
    });
    expect(provider.statusCode).toBe(429);
    expect((await limitsOf(api)).sms).toEqual({ limit: 2, current: 2 });
    api.clock.advance(dayMs);
    expect((await api.ask("POST /api/sms", { body })).statusCode).toBe(200);
  });
});
