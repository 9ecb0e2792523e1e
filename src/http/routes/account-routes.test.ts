import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { createAuditLog } from "../../operations/services/security/audit-log.ts";
import { openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Context } from "../../operations/context.ts";
import type { Route } from "../route.ts";
import { sendBySendGrid } from "./callbacks/callbacks.test-aid.ts";
import { routeTable } from "../route-table.ts";
import type { WireAuditEntry, WireNewKey } from "../wire/account-schema.ts";

/** Routes that change something without an audit entry, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  "POST /api/messages": "creates a message: ordinary test traffic, and the message itself is the record",
  "POST /api/messages/:id/reply": "as creation; the sent message is the record",
  "POST /api/messages/:id/forward": "as creation; the sent message is the record",
  "POST /api/messages/:id/release": "as creation; the sent message is the record",
  "POST /api/messages/:id/bounce": "as creation; the sent message is the record",
  "POST /api/messages/:id/complaint": "as creation; the sent message is the record",
  "POST /api/messages/:id/autoreply": "as creation; the sent message is the record",
  "POST /api/messages/:id/events": "calls the application about a message; the delivery is the record",
  "POST /api/messages/:id/inbound": "calls the application about a message; the delivery is the record",
  "POST /api/servers/:id/webhooks/:webhook/ping": "calls the application; the delivery is the record",
  "POST /api/messages/marks": "sets flags and tags: ordinary test traffic, which the messages show",
  "PUT /api/messages/:id/marks": "sets flags and tags: ordinary test traffic, which the message shows",
  "POST /mcp": "calls other routes, which record themselves",
  "POST /api/sms": "creates a message, as a provider does",
  "POST /api/messages/search": "reads",
  "POST /api/messages/journey": "reads",
  "POST /api/analysis/budget/:id": "reads",
  "POST /api/analysis/snapshot/:id": "reads",
  "POST /api/analysis/screenshot/:id": "reads",
  "POST /api/analysis/localisation": "reads",
  "POST /api/messages/:id/screenshots": "renders a message; stores nothing",
  "POST /api/messages/:id/previews": "renders a message; stores nothing",
  "POST /api/devices/otp": "computes a one-time password; stores nothing",
  "POST /web/session": "has no key yet when it is called; records itself",
  "POST /web/sign-in-links": "checks the key itself; the sign-in by the link records itself",
  "POST /web/count": "reads",
  "POST /web/passages": "reads",
  "POST /web/tickets": "signs a URL for reading; stores nothing",
};

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const isProvider = ({ access }: Route): boolean => access === "provider";
const isWithdrawn = ({ operationId, problems }: Route): boolean => operationId === null && problems.includes("gone");
const mutating = routeTable.filter((route) => route.method !== "GET" && !isProvider(route) && !isWithdrawn(route));

describe("the route table", () => {
  test("records every route that changes something, except for exempt ones", () => {
    const unrecorded = mutating.filter((route) => !("audit" in route)).map(nameOf);
    expect(unrecorded.toSorted()).toEqual(Object.keys(exempt).toSorted());
  });
});

/** Routes that respond with something that is named as a secret, without an audit entry, with the reason. */
const readsNoSecret: Readonly<Record<string, string>> = {
  "GET /api/servers/:id/event-webhooks/:provider": "its secret is null except in the response that made it",
  "GET /api/servers/:id/inbound-routes/:route": "its secret is null except in the response that made it",
  "GET /api/servers/:id/webhooks/:webhook": "its secret is null except in the response that made it",
};

/** Names of members that may be secrets, at any depth of a schema. */
function secretsIn(schema: unknown, depth = 0): readonly string[] {
  if (typeof schema !== "object" || schema === null || depth > 20) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const own = name === "properties" ? Object.keys(value as object).filter((one) => secretName.test(one)) : [];
    return [...own, ...secretsIn(value, depth + 1)];
  });
}
const secretName = /password|secret|token|privateKey|credential/i;

test("every route that reads a secret is recorded, except for exempt ones", () => {
  const reading = routeTable.filter(
    ({ method, successes, path }) =>
      method === "GET" &&
      (/password|secret/.test(path) || successes.some(({ schema }) => secretsIn(schema).length > 0)),
  );
  const unrecorded = reading.filter((route) => !("audit" in route)).map(nameOf);
  expect(unrecorded.toSorted()).toEqual(Object.keys(readsNoSecret).toSorted());
  expect(reading.map(nameOf)).toContain("GET /api/servers/:id/password");
});

describe("the audit log", () => {
  let api: HttpTestServer;
  let server: TestServer;
  beforeAll(async () => {
    // SparkPost asks the target of a webhook before it registers it.
    const callbackClient: Context["callbackClient"] = {
      send: async () => ({
        status: 200,
        retryAfterMs: null,
        answer: { status: 200, headers: {}, body: Buffer.alloc(0) },
      }),
      close: () => undefined,
    };
    api = await openHttpTestServer({ context: { callbackClient } });
    server = await api.addServer();
  });
  afterAll(async () => api[Symbol.asyncDispose]());

  const list = async (query = ""): Promise<readonly WireAuditEntry[]> =>
    (await api.ask(`GET /api/audit${query}`)).json();
  const newest = async (): Promise<WireAuditEntry | undefined> => (await list("?itemsPerPage=1"))[0];

  test("records key, action and address, and never the secret", async () => {
    const reply = await api.ask("POST /api/keys", { body: { name: "CI", scope: "read" }, remoteAddress: "192.0.2.7" });
    const created = reply.json<WireNewKey>();
    const own = (await api.ask("GET /api/keys"))
      .json<{ id: string; name: string }[]>()
      .find(({ name }) => name === "account");
    expect(await newest()).toEqual({
      id: expect.any(String) as string,
      at: "2026-01-01T00:00:00.000Z",
      by: "key",
      key: own?.id,
      name: "account",
      clientAddress: "192.0.2.7",
      user: null,
      email: null,
      action: "key.create",
      target: created.id,
      server: null,
      details: { scope: "read" },
    });
    expect(JSON.stringify(await list())).not.toContain(created.key);
  });

  test("records the client address from a trusted proxy", async () => {
    await using proxied = await openHttpTestServer({ isProxy: () => true });
    await proxied.ask("POST /api/servers", { body: { name: "x" }, headers: { "x-forwarded-for": "198.51.100.9" } });
    const [entry] = (await proxied.ask("GET /api/audit")).json<WireAuditEntry[]>();
    expect(entry).toMatchObject({ action: "server.create", clientAddress: "198.51.100.9" });
  });

  const phrases = { phrases: ["YES", "NO"] };
  const zone = { zone: "sender.example. 60 IN TXT v=spf1" };
  test.each([
    ["PUT /api/servers/SERVER", { name: "Renamed" }, { action: "server.update", details: { fields: ["name"] } }],
    ["PUT /api/servers/SERVER/dns", zone, { action: "dns_zone.put" }],
    ["DELETE /api/servers/SERVER/dns", undefined, { action: "dns_zone.delete" }],
    ["DELETE /api/messages?server=SERVER", undefined, { action: "server.empty" }],
  ])("%s names the server", async (line, body, expected) => {
    const reply = await api.ask(line.replace("SERVER", server.id), { key: server.key, body });
    expect(reply.statusCode).toBeLessThan(300);
    expect(await newest()).toMatchObject({ ...expected, target: server.id, server: server.id, name: "Test" });
  });

  test("PUT /api/approved-phrases records a count and no content", async () => {
    await api.ask("PUT /api/approved-phrases", { body: phrases });
    expect(await newest()).toMatchObject({ action: "approved_phrases.set", target: null, details: { count: 2 } });
    expect(JSON.stringify(await newest())).not.toContain("YES");
  });

  test("records a verified address by id, as the operator's act when the token was given", async () => {
    const body = { address: "owner@outside.example", operatorToken: api.context.operatorToken };
    const { id } = (await api.ask("POST /api/verified-addresses", { body })).json<{ id: string }>();
    expect(await newest()).toMatchObject({ by: "operator", action: "verified_address.add", target: id });
    await api.ask(`DELETE /api/verified-addresses/${id}`);
    expect(await newest()).toMatchObject({ by: "key", action: "verified_address.remove", target: id });
    const text = JSON.stringify(await list());
    expect([text.includes("outside.example"), text.includes(body.operatorToken)]).toEqual([false, false]);
  });

  test("records the creation and removal of devices, phone numbers, messages, keys and servers", async () => {
    const created = async (line: string, body: unknown): Promise<string> =>
      (await api.ask(line, { body })).json<{ id: string }>().id;
    const device = await created("POST /api/devices", { name: "Phone", sharedSecret: "ONSWG4TFOQYTEMY=" });
    const number = await created("POST /api/phone-numbers", {
      number: "+15550188",
      server: server.id,
      secret: "s3cr3t",
    });
    const other = await created("POST /api/servers", { name: "Other" });
    const key = await created("POST /api/keys", { server: other });
    const message = await api.deliver(server);
    const lines = [`/messages/${message}`, `/phone-numbers/${number}`, `/devices/${device}`, `/keys/${key}`];
    await api.ask(`POST /api/keys/${key}/rotate`, { body: {} });
    for (const line of [...lines, `/servers/${other}`]) await api.ask(`DELETE /api${line}`);
    const entries = (await list("?itemsPerPage=10")).toReversed();
    expect(entries.map(({ action, target, server: of }) => [action, target, of])).toEqual([
      ["device.create", device, null],
      ["phone_number.add", number, server.id],
      ["server.create", other, other],
      ["key.create", key, other],
      ["key.rotate", key, other],
      ["message.delete", message, server.id],
      ["phone_number.remove", number, null],
      ["device.delete", device, null],
      ["key.revoke", key, null],
      ["server.delete", other, other],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/s3cr3t|ONSWG4TFOQYTEMY|15550188/);
  });

  test("records who reads the SMTP password of a server, but not the password", async () => {
    const reply = await api.ask(`GET /api/servers/${server.id}/password`);
    expect(await newest()).toMatchObject({ action: "server.read_password", target: server.id, server: server.id });
    expect(JSON.stringify(await newest())).not.toContain(reply.json<{ value: string }>().value);
  });

  test.each([
    [
      "sendgrid",
      { path: "/v3/templates", body: { name: "Welcome", generation: "dynamic" }, key: ["authorization", "Bearer "] },
    ],
    [
      "postmark",
      {
        path: "/message-streams/broadcast/suppressions",
        body: { Suppressions: [{ EmailAddress: "a@b.example" }] },
        key: ["x-postmark-server-token", ""],
      },
    ],
    [
      "sparkpost",
      {
        path: "/api/v1/webhooks",
        body: { name: "Delivery", target: "http://127.0.0.1:9/hook", events: ["delivery"] },
        key: ["authorization", ""],
      },
    ],
  ])(
    "records what a call to the API of %s changes",
    async (provider, { path, body, key: [field = "", prefix = ""] }) => {
      const headers = { [field]: prefix + server.key, accept: "application/json" };
      const reply = await api.ask(`POST /providers/${provider}${path}`, { key: null, headers, body });
      expect(reply.statusCode).toBeLessThan(300);
      expect(await newest()).toMatchObject({
        action: "provider_object.change",
        server: server.id,
        name: "Test",
        details: { provider, kinds: [expect.any(String)] },
      });
    },
  );

  test("does not record what is sent over the API of a provider", async () => {
    const before = await newest();
    await sendBySendGrid(api, server, ["someone@app.example"]);
    expect(await newest()).toEqual(before);
  });

  test("does not record rejected requests", async () => {
    const before = await newest();
    for (const line of ["DELETE /api/keys/none", "DELETE /api/servers/none", "DELETE /api/messages/none"]) {
      expect((await api.ask(line)).statusCode).toBe(404);
    }
    expect(await newest()).toEqual(before);
  });

  test("is listed in pages, newest first, with a link to the next", async () => {
    const all = await list("?itemsPerPage=1000");
    const reply = await api.ask("GET /api/audit?page=1&itemsPerPage=2");
    expect(reply.json()).toEqual(all.slice(2, 4));
    expect(reply.headers.link).toBe('</api/audit?page=2&itemsPerPage=2>; rel="next"');
    expect((await api.ask("GET /api/audit?itemsPerPage=1000")).headers.link).toBeUndefined();
    expect((await api.ask("GET /api/audit?itemsPerPage=0")).statusCode).toBe(400);
  });

  test("responds 403 to a restricted key", async () => {
    expect((await api.ask("GET /api/audit", { key: server.key })).statusCode).toBe(403);
  });

  test("does not fail requests when it cannot be written", async () => {
    const audit = createAuditLog({
      clock: api.clock,
      tasks: unobservedTasks,
      store: {
        ...api.context.store.audit,
        appendAudit: async () => {
          throw new Error("no space");
        },
      },
    });
    await using failing = await openHttpTestServer({ context: { audit } });
    expect((await failing.ask("POST /api/servers", { body: { name: "x" } })).statusCode).toBe(200);
  });
});
