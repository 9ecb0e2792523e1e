/** Limits of teams over the API, and at every way by which a message reaches the store. */
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import type { Team } from "../../../core/people.ts";
import { noTeamLimits, type TeamLimits } from "../../../core/team-limits.ts";
import { applyRetention } from "../../../operations/servers/retention-rules.ts";
import { openProviderSession } from "../../../operations/providers/provider-session.ts";
import { callEndpoint } from "../../../providers/conformance/call-endpoint.test-aid.ts";
import { minimalSample } from "../../../providers/conformance/sample-emails.test-aid.ts";
import type { ProviderSamples } from "../../../providers/conformance/samples.test-aid.ts";
import { memoryServices, validKey } from "../../../providers/conformance/services.test-aid.ts";
import { providers } from "../../../providers/registry.ts";
import type { ProviderRequest, ProviderServices } from "../../../providers/provider.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import { addTestTeam, addTestUser } from "../../../testing/people.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let team: Team;
const path = (): string => `/api/teams/${team.id}/limits`;
const limit = async (limits: Partial<TeamLimits>): Promise<void> =>
  api.context.store.teamLimits.putTeamLimits(team.id, { ...noTeamLimits, ...limits });
const messageCount = async (): Promise<number> => (await api.context.store.getServer(server.id))?.messages ?? 0;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  team = await addTestTeam(api, "Payments", server.id);
  await api.ask("POST /api/phone-numbers", { body: { number: "+447700900123", server: server.id } });
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("the limits of a team", () => {
  test("are changed member by member by the account alone, and read by its members with their use", async () => {
    const [manager, viewer, stranger] = [
      await addTestUser(api, "manager", { [team.id]: "manager" }),
      await addTestUser(api, "viewer", { [team.id]: "viewer" }),
      await addTestUser(api, "stranger"),
    ];
    await api.ask(`PUT ${path()}`, { body: { bytesMax: 1e12, smsPerDayMax: 5 } });
    const changed = await api.ask(`PUT ${path()}`, { body: { bytesMax: null, outboundPerHourMax: 0 } });
    expect(changed.json()).toEqual({
      limits: { ...noTeamLimits, smsPerDayMax: 5, outboundPerHourMax: 0 },
      use: { messages: 0, bytes: 0, emailsToday: 0, smsToday: 0, outboundThisHour: 0 },
    });
    await api.deliver(server);
    const seen = await api.ask(`GET ${path()}`, { key: viewer.key });
    expect(seen.json()).toMatchObject({ use: { messages: 1, emailsToday: 1 } });
    const codes = async (line: string): Promise<readonly number[]> =>
      Promise.all(
        [manager.key, stranger.key, server.key].map(async (key) => (await api.ask(line, { key, body: {} })).statusCode),
      );
    expect(await codes(`PUT ${path()}`)).toEqual([403, 403, 403]);
    expect(await codes(`GET ${path()}`)).toEqual([200, 404, 403]);
    const { entries } = await api.context.store.audit.listAudit(0, 1);
    expect(entries[0]).toMatchObject({ action: "team.update", target: team.id });
    expect(entries[0]?.details).toEqual({ fields: ["limits.bytesMax", "limits.outboundPerHourMax"] });
  });

  test("name every wrong field", async () => {
    const body = { messagesMax: 0, outboundPerHourMax: -1, emailsPerDayMax: 1.5 };
    const rejected = await api.ask(`PUT ${path()}`, { body });
    expect(rejected.statusCode).toBe(400);
    const fields = rejected.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field);
    expect(fields.toSorted()).toEqual(["emailsPerDayMax", "messagesMax", "outboundPerHourMax"]);
    expect((await api.ask("PUT /api/teams/none/limits", { body: {} })).statusCode).toBe(404);
  });

  test("delete mail that is older than the team keeps it", async () => {
    await limit({ ageSecondsMax: 60 });
    await api.deliver(server);
    api.clock.advance(61_000);
    await api.deliver(server);
    await applyRetention(api.context);
    expect(await messageCount()).toBe(1);
  });

  test("reject what is sent beyond the outbound limit", async () => {
    await limit({ outboundPerHourMax: 1 });
    const send = async () =>
      api.ask(`POST /api/messages?server=${server.id}`, {
        body: { to: "friend@outside.example", text: "x", send: true },
      });
    expect((await send()).statusCode).toBe(200);
    const rejected = await send();
    expect([rejected.statusCode, rejected.headers["retry-after"]]).toEqual([429, "3600"]);
    expect(rejected.json<{ message: string }>().message).toContain("at most 1 deliveries leave within an hour");
  });
});

const subjects = await Promise.all(
  providers.map(async ({ name }) => {
    const module = (await import(`../../../providers/${name}/samples.test-aid.ts`)) as {
      readonly samples: ProviderSamples;
    };
    return [name, module.samples] as const;
  }),
);

describe("a team that has reached a limit", () => {
  const sms = { from: "+15550100", to: "+447700900123", text: "Hi" };
  const requestsOf = ({ email, sms: text }: ProviderSamples): readonly ProviderRequest[] => [
    ...(email === undefined ? [] : [email.send(minimalSample, { key: validKey })]),
    ...(text === undefined ? [] : [text.send(sms, { key: validKey, callback: null })]),
  ];

  test.each(subjects)("stores nothing over the API of %s", async (name, samples) => {
    const provider = providers.find((one) => one.name === name);
    if (provider === undefined) throw new Error(`no provider ${name}`);
    const caller = { principal: { keyId: "k", server: server.id }, provider: name, isKnown: true };
    const services: ProviderServices = {
      ...memoryServices().services,
      now: () => api.clock.now(),
      authenticate: async () => Promise.resolve(openProviderSession(api.context, caller)),
    };
    const isStored = async (request: ProviderRequest): Promise<boolean> => {
      const before = await messageCount();
      api.clock.advance(1);
      await callEndpoint(provider, request, services).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
      return (await messageCount()) > before;
    };
    for (const request of requestsOf(samples)) {
      await limit({ messagesMax: 1e6 });
      expect(await isStored(request)).toBe(true);
      for (const reached of [{ messagesMax: 1 }, { bytesMax: 1 }, { emailsPerDayMax: 1, smsPerDayMax: 1 }]) {
        await limit(reached);
        expect([reached, await isStored(request)]).toEqual([reached, false]);
      }
    }
  });

  test("answers 507 to a message over the API, whose key sees only the server", async () => {
    await limit({ messagesMax: 1 });
    const rejected = await api.ask(`POST /api/messages?server=${server.id}`, { key: server.key, body: {} });
    expect(rejected.statusCode).toBe(507);
    expect(rejected.body).toContain(`The team of server ${server.id} is over its quota of 1 messages`);
    await expect(api.deliver(server)).rejects.toMatchObject({ code: "quota_exceeded" });
    await expect(api.context.quotas.requireRoom(server.id, 1)).rejects.toMatchObject({ code: "quota_exceeded" });
  });
});

test("messages reach the store by one operation, and held ones by one; imports and arrivals of accepted mail may ignore limits", () => {
  const callers = (pattern: RegExp): readonly string[] =>
    globSync("src/**/*.ts")
      .filter((file) => !file.startsWith("src/store/") && !file.includes(".test") && !file.startsWith("src/testing/"))
      .filter((file) => pattern.test(readFileSync(file, "utf8")))
      .toSorted();
  expect(callers(/\.addMessages\(/)).toEqual([
    "src/operations/inbound/store-messages.ts",
    "src/transfer/message-intake.ts",
  ]);
  expect(callers(/\.addScheduledMessages\(/)).toEqual([
    "src/operations/inbound/held-messages.ts",
    "src/operations/providers/scheduled-email.ts",
  ]);
  expect(callers(/limits: (?:"none"|this\.#limits)/)).toEqual([
    "src/operations/inbound/arrive-scheduled.ts",
    "src/transfer/message-intake.ts",
  ]);
});
