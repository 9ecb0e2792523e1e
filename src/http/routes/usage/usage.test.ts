import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Team } from "../../../core/people.ts";
import { compactUsage, type UsageLimits } from "../../../operations/account/account.ts";
import type { ServerUsageReport, TeamUsage } from "../../../operations/servers/usage-reports.ts";
import {
  type HttpTestServer,
  openHttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { addTestTeam, addTestUser } from "../../../testing/people.test-aid.ts";
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

describe("usage by team and server", () => {
  let api: HttpTestServer;
  let own: TestServer;
  let other: TestServer;
  let team: Team;
  beforeAll(async () => {
    api = await openHttpTestServer();
    [own, other] = [await api.addServer("=own"), await api.addServer("other")];
    team = await addTestTeam(api, "Payments, Inc.", own.id);
    await api.deliver(own);
    await api.deliver(other);
    await api.ask(`POST /api/messages?server=${own.id}`, {
      body: { to: "friend@outside.example", text: "x", send: true },
    });
  });
  afterAll(async () => api[Symbol.asyncDispose]());

  test("lists each team with its counts of the month, and servers without a team at the end", async () => {
    const rows = (await api.ask("GET /api/usage/teams")).json<TeamUsage[]>();
    expect(rows).toMatchObject([
      { team: team.id, name: "Payments, Inc.", email: 2, sms: 0, outbound: 1, servers: 1, messages: 2 },
      { team: null, name: null, email: 1, sms: 0, outbound: 0, servers: 1, messages: 1 },
    ]);
    expect(rows.map(({ bytes, storedBytes }) => bytes - storedBytes)).toEqual([0, 0]);
    const before = (await api.ask("GET /api/usage/teams?month=2025-12")).json<TeamUsage[]>();
    expect(before.map(({ email, servers }) => [email, servers])).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  test("downloads CSV with the month in its name, whose texts no spreadsheet evaluates", async () => {
    const teams = await api.ask("GET /api/usage/teams.csv?month=2026-01");
    expect(teams.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="usage-teams-2026-01.csv"',
    });
    const [header, first] = teams.body.split("\r\n");
    expect(header).toBe("month,team,name,email,sms,bytes,outbound,servers,messages,storedBytes");
    expect(first).toMatch(new RegExp(`^2026-01,${team.id},"Payments, Inc\\.",2,0,\\d+,1,1,2,\\d+$`));
    const servers = await api.ask("GET /api/usage/servers.csv");
    expect(servers.body).toContain(`\r\n2026-01,${own.id},"'=own",${team.id},"Payments, Inc.",`);
  });

  test("lists owners and last traffic of servers, those that are idle longest first", async () => {
    const manager = await addTestUser(api, "manager", { [team.id]: "manager" });
    const rows = (await api.ask("GET /api/usage/servers")).json<ServerUsageReport[]>();
    expect(rows.map(({ server }) => server)).toEqual([own.id, other.id]);
    expect(rows[0]).toMatchObject({
      teamName: "Payments, Inc.",
      managers: [manager.email],
      email: 2,
      idleDays: 0,
      removedAt: null,
    });
    api.clock.advance(3 * dayMs);
    await api.deliver(own);
    api.clock.advance(4 * dayMs);
    const idle = async (days: number) =>
      (await api.ask(`GET /api/usage/servers?idleDays=${days}`))
        .json<ServerUsageReport[]>()
        .map(({ server, idleDays }) => [server, idleDays]);
    expect(await idle(5)).toEqual([[other.id, 7]]);
    expect(await idle(4)).toEqual([
      [other.id, 7],
      [own.id, 4],
    ]);
  });

  test("shows managers their teams only, and nobody else anything", async () => {
    const manager = await addTestUser(api, "second", { [team.id]: "manager" });
    const tester = await addTestUser(api, "tester", { [team.id]: "tester" });
    for (const kind of ["teams", "servers"]) {
      const line = `GET /api/usage/${kind}`;
      expect((await api.ask(line, { key: manager.key })).json()).toHaveLength(1);
      expect((await api.ask(`${line}.csv`, { key: manager.key })).body.split("\r\n")).toHaveLength(3);
      for (const key of [tester.key, own.key]) expect((await api.ask(line, { key })).statusCode).toBe(403);
    }
  });

  test.each(["teams?month=2026", "teams.csv?month=2026-13", "servers?idleDays=x", "servers?idleDays=36501"])(
    "rejects %s",
    async (target) => {
      const rejected = await api.ask(`GET /api/usage/${target}`);
      expect([rejected.statusCode, rejected.json<{ errors: unknown[] }>().errors.length]).toEqual([400, 1]);
    },
  );

  test("keeps the usage of a removed team by its id, and of old months without servers", async () => {
    await api.ask(`DELETE /api/teams/${team.id}`);
    const rows = (await api.ask("GET /api/usage/teams?month=2026-01")).json<TeamUsage[]>();
    expect(rows[0]).toMatchObject({ team: team.id, name: null, email: 3, servers: 0 });
    api.clock.advance(70 * dayMs);
    await compactUsage(api.context);
    expect((await api.ask("GET /api/usage/teams?month=2026-01")).json<TeamUsage[]>()[0]).toMatchObject(rows[0] ?? {});
    const servers = (await api.ask("GET /api/usage/servers?month=2026-01")).json<ServerUsageReport[]>();
    expect(servers.map(({ email }) => email)).toEqual([0, 0]);
  });
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
