/** Restricted keys learn nothing about other servers: foreign and unknown ids get identical responses. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { routeTable } from "./route-table.ts";
import { addCallbacks, withCallbackIds, type CallbackIds } from "./routes/callbacks/callbacks.test-aid.ts";
import type { Route } from "./route.ts";

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
  callbacks = { foreign: await addCallbacks(api, foreign), absent: absentIds };
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Bodies in which a restricted key may name a server, a message or a number. */
const bodies: Readonly<Record<string, (pair: { server: string; number: string }) => unknown>> = {
  "POST /api/keys": ({ server }) => ({ server }),
  "POST /api/phone-numbers": ({ server, number }) => ({ server, number }),
  "POST /api/sms": ({ number }) => ({ from: "App", to: number, text: "Hi" }),
  "POST /api/messages/search": () => ({ subject: "s" }),
  "POST /api/messages/:id/forward": ({ server }) => ({ to: `x@${server}.restante.test`, text: "x" }),
  "POST /api/messages/:id/reply": () => ({ text: "x" }),
};

function idsOf({ path }: Route): Pair {
  if (path.includes("/servers/") || path.includes("/server/")) return servers;
  if (path.includes("/attachments/") || path.includes("/images/")) return attachments;
  return path.includes("/phone-numbers/") ? numberIds : messages;
}

describe("a restricted key", () => {
  const keyed = routeTable.filter(({ access }) => access === "key" || access === "account");

  test.each(keyed.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "gets identical responses for foreign and unknown ids: %s",
    async (name, route) => {
      const answers = await Promise.all(
        (["foreign", "absent"] as const).map(async (which) => {
          const server = servers[which];
          const path = withCallbackIds(route.path, callbacks[which])
            .replace(":id", idsOf(route)[which])
            .replace("*", "x");
          const known = new Set((route.query ?? []).map((one) => one.name));
          const parameters = { server, ids: messages[which] };
          const query = Object.entries(parameters).flatMap(([name, value]) =>
            known.has(name) || route.operationId === null ? [`${name}=${value}`] : [],
          );
          const body =
            route.body === undefined ? undefined : (bodies[name]?.({ server, number: numbers[which] }) ?? {});
          const reply = await api.ask(`${route.method} ${path}?${query.join("&")}`, { key: own.key, body });
          const text = [server, messages[which], attachments[which], numbers[which], numberIds[which]].reduce(
            (shown, id) => shown.replaceAll(id, "ID"),
            reply.body,
          );
          const { date: _date, "x-request-id": _request, ...headers } = reply.headers;
          return { status: reply.statusCode, text, headers };
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
    },
  );

  const nested = keyed.filter(({ path }) => /:id\/.*:(?:webhook|route|delivery)/.test(path));

  test.each(nested.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "does not find targets and deliveries of another server below its own: %s",
    async (_name, route) => {
      const ask = async (ids: CallbackIds): Promise<unknown> => {
        const path = withCallbackIds(route.path, ids).replace(":id", own.id);
        const body = route.body === undefined ? {} : { body: {} };
        const reply = await api.ask(`${route.method} ${path}`, { key: own.key, ...body });
        return [reply.statusCode, reply.body];
      };
      const reply = await ask(callbacks.foreign);
      expect(reply).toEqual(await ask(callbacks.absent));
      expect(reply).toEqual([404, expect.any(String)]);
    },
  );

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
