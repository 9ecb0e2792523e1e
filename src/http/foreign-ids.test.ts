/** Restricted keys and members of teams learn nothing about others: foreign and unknown ids get identical responses. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { routeTable } from "./route-table.ts";
import { addCallbacks, withCallbackIds, type CallbackIds } from "./routes/callbacks/callbacks.test-aid.ts";
import { permissionOf, type Route } from "./route.ts";
import type { Role } from "../core/people.ts";
import { addTestTeam, addTestUser } from "../testing/people.test-aid.ts";

/** An object of another server, and an id of the same form that does not exist. */
interface Pair {
  readonly foreign: string;
  readonly absent: string;
}

let api: HttpTestServer;
let own: TestServer;
let servers: Pair;
let messages: Pair;
let attachments: Pair;
let numbers: Pair;
let numberIds: Pair;
let teams: Pair;
let people: Pair;
let callers: Readonly<Record<string, string>>;
let callbacks: Readonly<Record<"foreign" | "absent", CallbackIds>>;
beforeAll(async () => {
  api = await openHttpTestServer();
  own = await api.addServer("own");
  const foreign = await api.addServer("foreign");
  servers = { foreign: foreign.id, absent: "zzzzzzz9" };
  const id = await api.deliver(foreign, {
    raw: "Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHi\r\n--b\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n--b--\r\n",
  });
  const { attachments: parts } = (await api.ask(`GET /api/messages/${id}`)).json<{ attachments: { id: string }[] }>();
  messages = { foreign: id, absent: randomUUID() };
  attachments = { foreign: parts[0]?.id ?? "", absent: randomUUID() };
  numbers = { foreign: "+15550177", absent: "+15550178" };
  const created = await api.ask("POST /api/phone-numbers", { body: { number: numbers.foreign, server: foreign.id } });
  numberIds = { foreign: created.json<{ id: string }>().id, absent: randomUUID() };
  const absentIds = { webhook: randomUUID(), route: randomUUID(), delivery: randomUUID(), provider: "sendgrid" };
  const [team, other] = [await addTestTeam(api, "Own", own.id), await addTestTeam(api, "Foreign", foreign.id)];
  teams = { foreign: other.id, absent: randomUUID() };
  people = { foreign: (await addTestUser(api, "foreign", { [other.id]: "tester" })).id, absent: randomUUID() };
  const ofRole = async (role: Role): Promise<string> => (await addTestUser(api, role, { [team.id]: role })).key;
  callers = {
    "restricted key": own.key,
    viewer: await ofRole("viewer"),
    tester: await ofRole("tester"),
    manager: await ofRole("manager"),
  };
  callbacks = { foreign: await addCallbacks(api, foreign), absent: absentIds };
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Bodies in which a restricted key may name a server, a message or a number. */
const bodies: Readonly<
  Record<string, (pair: { server: string; number: string; team: string; user: string }) => unknown>
> = {
  "POST /api/servers": ({ team }) => ({ name: "x", team }),
  "PUT /api/teams/:id/members/:user": () => ({ role: "viewer" }),
  "POST /api/keys": ({ server, team }) => ({ server, team }),
  "POST /api/phone-numbers": ({ server, number }) => ({ server, number }),
  "POST /api/sms": ({ number }) => ({ from: "App", to: number, text: "Hi" }),
  "POST /api/messages/search": () => ({ subject: "s" }),
  "POST /api/messages/:id/forward": ({ server }) => ({ to: `x@${server}.restante.test`, text: "x" }),
  "POST /api/messages/:id/reply": () => ({ text: "x" }),
};

function idsOf({ path }: Route): Pair {
  if (path.includes("/servers/") || path.includes("/server/")) return servers;
  if (path.includes("/teams/")) return teams;
  if (path.includes("/users/")) return people;
  if (path.includes("/attachments/") || path.includes("/images/")) return attachments;
  return path.includes("/phone-numbers/") ? numberIds : messages;
}

/** Managers see all users, whom they can put into their teams. */
const seesUsers = (caller: string, { method, path }: Route): boolean =>
  caller === "manager" && method === "GET" && path.startsWith("/api/users");

/** Returns the response to a request that names objects of others, or such that do not exist. */
async function answer(route: Route, key: string, which: keyof Pair): Promise<unknown> {
  const server = servers[which];
  const path = withCallbackIds(route.path, callbacks[which])
    .replace(":user", people[which])
    .replace(":id", idsOf(route)[which])
    .replace("*", "x");
  const known = new Set((route.query ?? []).map((one) => one.name));
  const query = Object.entries({ server, ids: messages[which] }).flatMap(([name, value]) =>
    known.has(name) || route.operationId === null ? [`${name}=${value}`] : [],
  );
  const named = { server, number: numbers[which], team: teams[which], user: people[which] };
  const body = route.body === undefined ? undefined : (bodies[`${route.method} ${route.path}`]?.(named) ?? {});
  const reply = await api.ask(`${route.method} ${path}?${query.join("&")}`, { key, body });
  const ids = [messages, attachments, numbers, numberIds, teams, people].map((pair) => pair[which]);
  const text = [server, ...ids].reduce((shown, id) => shown.replaceAll(id, "ID"), reply.body);
  const { date: _date, "x-request-id": _request, ...headers } = reply.headers;
  return { status: reply.statusCode, text, headers };
}

describe("a restricted key and the members of a team", () => {
  const keyed = routeTable.filter(({ access }) => access === "key" || access === "account");

  test.each(keyed.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "get identical responses for foreign and unknown ids: %s",
    async (_name, route) => {
      const asked = Object.entries(callers).filter(([caller]) => !seesUsers(caller, route));
      const answers = async (which: keyof Pair): Promise<unknown> =>
        Promise.all(asked.map(async ([caller, key]) => [caller, await answer(route, key, which)]));
      expect(await answers("foreign")).toEqual(await answers("absent"));
    },
  );

  const nested = keyed.filter(({ path }) => /:id\/.*:(?:webhook|route|delivery)/.test(path));

  test.each(nested.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "do not find targets and deliveries of another server below their own: %s",
    async (_name, route) => {
      const ask = async (ids: CallbackIds, key: string): Promise<unknown> => {
        const path = withCallbackIds(route.path, ids).replace(":id", own.id);
        const body = route.body === undefined ? {} : { body: {} };
        const reply = await api.ask(`${route.method} ${path}`, { key, ...body });
        return [reply.statusCode, reply.body];
      };
      for (const [caller, key] of Object.entries(callers)) {
        const reply = await ask(callbacks.foreign, key);
        const isRefused = caller === "viewer" && permissionOf(route) !== "read";
        expect([reply, reply]).toEqual([await ask(callbacks.absent, key), [isRefused ? 403 : 404, expect.any(String)]]);
      }
    },
  );
});

describe("a restricted key", () => {
  test("gets a response that names no other server, whatever the recipient", async () => {
    const send = async (server: string): Promise<unknown> => {
      const body = { to: `someone@${server}.restante.test`, text: "x", subject: "x", send: true };
      const reply = await api.ask(`POST /api/messages?server=${own.id}`, { key: own.key, body });
      return [reply.statusCode, reply.json<{ message?: string }>().message ?? ""];
    };
    expect(await send(servers.foreign)).toEqual(await send(servers.absent));
  });

  test("stores an SMS to any number in its own server", async () => {
    const send = async (number: string): Promise<unknown> => {
      const body = `From=App&To=${encodeURIComponent(number)}&Body=Hi`;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const reply = await api.ask("POST /2010-04-01/Accounts/AC1/Messages.json", { key: own.key, body, headers });
      return [reply.statusCode, reply.json<{ status: string }>().status];
    };
    expect(await send(numbers.foreign)).toEqual(await send(numbers.absent));
  });
});
