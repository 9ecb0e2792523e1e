import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageLimits } from "../../../operations/account/get-usage.ts";
import { openHttpDoor, type HttpDoor } from "../../../testing/http-door.test-aid.ts";
import type { WireTransaction } from "../../wire/usage-schema.ts";

const dayMs = 86_400_000;
const limitsOf = async (door: HttpDoor): Promise<UsageLimits> => (await door.ask("GET /api/usage/limits")).json();
const daysOf = async (door: HttpDoor): Promise<readonly WireTransaction[]> =>
  (await door.ask("GET /api/usage/transactions")).json();

describe("a new service", () => {
  let door: HttpDoor;
  beforeAll(async () => {
    door = await openHttpDoor();
  });
  afterAll(async () => door[Symbol.asyncDispose]());

  test("has limits that are 32-bit integers of at least 2, and no usage", async () => {
    const limits = await limitsOf(door);
    expect(Object.keys(limits)).toEqual(["servers", "users", "email", "sms"]);
    for (const { limit, current } of Object.values(limits)) {
      expect(Number.isInteger(limit) && limit >= 2 && limit <= 2 ** 31 - 1).toBe(true);
      expect(current).toBe(0);
    }
  });

  test("has two rows of transactions, today first, with full timestamps", async () => {
    expect(await daysOf(door)).toEqual([
      { timestamp: "2026-01-01T00:00:00.000Z", email: 0, sms: 0 },
      { timestamp: "2025-12-31T00:00:00.000Z", email: 0, sms: 0 },
    ]);
  });

  test("returns items to official libraries", async () => {
    const reply = await door.ask("GET /api/usage/transactions", { headers: { "user-agent": "mailosaur-php/8.0.0" } });
    expect(reply.json<{ items: unknown[] }>().items).toHaveLength(2);
  });

  test("responds 403 to a restricted key", async () => {
    const { key } = await door.addServer();
    for (const line of ["GET /api/usage/limits", "GET /api/usage/transactions"]) {
      expect((await door.ask(line, { key })).statusCode).toBe(403);
    }
  });
});

test("stored messages are counted by day for 31 days, whether or not they are deleted", async () => {
  await using door = await openHttpDoor();
  const server = await door.addServer();
  await door.ask(`PUT /api/servers/${server.id}`, { body: { users: ["u1", "u2"] } });
  await door.deliver(server);
  const second = await door.deliver(server);
  await door.ask(`DELETE /api/messages/${second}`);
  expect(await limitsOf(door)).toMatchObject({ servers: { current: 1 }, users: { current: 2 }, email: { current: 2 } });
  expect((await daysOf(door)).map(({ email }) => email)).toEqual([2, 0]);

  door.clock.advance(3 * dayMs);
  await door.deliver(server);
  expect((await limitsOf(door)).email.current).toBe(1);
  expect((await daysOf(door)).map(({ email }) => email)).toEqual([1, 0, 0, 2]);

  door.clock.advance(27 * dayMs);
  const month = await daysOf(door);
  expect([month.length, month.at(-1)]).toEqual([31, { timestamp: "2026-01-01T00:00:00.000Z", email: 2, sms: 0 }]);
  door.clock.advance(dayMs);
  expect((await daysOf(door)).map(({ email }) => email)).toEqual([...Array<number>(28).fill(0), 1]);
});

describe("limits", () => {
  test("of servers respond 429 beyond the limit, and accept one more after a deletion", async () => {
    await using door = await openHttpDoor({ limits: { serverCountMax: 2 } });
    await door.addServer();
    const { id } = await door.addServer();
    expect((await limitsOf(door)).servers).toEqual({ limit: 2, current: 2 });
    const rejected = await door.ask("POST /api/servers", { body: { name: "third" } });
    expect(rejected.json()).toMatchObject({ type: "LimitReached", status: 429, errors: [] });
    expect(rejected.json<{ message: string }>().message).toContain("limit of 2 servers");
    await door.ask(`DELETE /api/servers/${id}`);
    expect((await door.ask("POST /api/servers", { body: { name: "third" } })).statusCode).toBe(200);
  });

  test("of mails per day reject the next one without storing it, until the day ends", async () => {
    await using door = await openHttpDoor({ limits: { emailCountPerDayMax: 2 } });
    const server = await door.addServer();
    await door.deliver(server);
    await door.deliver(server);
    await expect(door.deliver(server)).rejects.toMatchObject({ code: "limit_reached" });
    expect((await door.ask(`GET /api/messages?server=${server.id}`)).json()).toHaveLength(2);
    expect((await limitsOf(door)).email).toEqual({ limit: 2, current: 2 });
    door.clock.advance(dayMs);
    await door.deliver(server);
    expect((await limitsOf(door)).email).toEqual({ limit: 2, current: 1 });
  });

  test("of SMS per day respond 429 beyond the limit on every interface", async () => {
    await using door = await openHttpDoor({ limits: { smsCountPerDayMax: 2 } });
    const { id: server } = await door.addServer();
    await door.ask("POST /api/phone-numbers", { body: { number: "+15550177", server } });
    const body = { from: "+15550100", to: "+15550177", text: "Hi" };
    for (const _ of [1, 2]) expect((await door.ask("POST /api/sms", { body })).statusCode).toBe(200);
    const rejected = await door.ask("POST /api/sms", { body });
    expect(rejected.json()).toMatchObject({ type: "LimitReached", status: 429 });
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    const provider = await door.ask("POST /2010-04-01/Accounts/AC1/Messages.json", {
      key: null,
      body: "From=%2B15550100&To=%2B15550177&Body=Hi",
      headers: {
        authorization: `Basic ${Buffer.from(`AC1:${door.accountKey}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
    });
    expect(provider.statusCode).toBe(429);
    expect((await limitsOf(door)).sms).toEqual({ limit: 2, current: 2 });
    door.clock.advance(dayMs);
    expect((await door.ask("POST /api/sms", { body })).statusCode).toBe(200);
  });
});
