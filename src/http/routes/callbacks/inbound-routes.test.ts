import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { ShownTargets } from "../../../operations/callbacks/target-schema.ts";
import type { WireMadeDeliveries } from "../../../operations/callbacks/delivery-schema.ts";
import type { WireError } from "../../wire/error-schema.ts";
import { applicationUrl, TestDeliveries } from "./callbacks.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let deliveries: TestDeliveries;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());
beforeEach(async () => {
  server = await api.addServer();
  deliveries = new TestDeliveries(api, server);
});

const addRoute = async (body: object = {}): Promise<ShownTargets["inbound"]> => {
  const route = { pattern: "Support@app.example", shape: "postmark", url: applicationUrl, ...body };
  return (await api.ask(`POST /api/servers/${server.id}/inbound-routes`, { body: route })).json();
};

describe("inbound routes", () => {
  test("are created, listed, changed, rotated and deleted", async () => {
    const created = await addRoute();
    expect(created).toMatchObject({ pattern: "support@app.example", shape: "postmark", state: "active" });
    const path = `/api/servers/${server.id}/inbound-routes`;
    const changed = await api.ask(`PUT ${path}/${created.id}`, { body: { pattern: "*@app.example", state: "paused" } });
    expect(changed.json()).toMatchObject({ id: created.id, pattern: "*@app.example", state: "paused", secret: null });
    expect((await api.ask(`GET ${path}`)).json()).toEqual([changed.json()]);
    expect((await api.ask(`POST ${path}/${created.id}/secret`, { body: {} })).statusCode).toBe(200);
    expect((await api.ask(`DELETE ${path}/${created.id}`)).statusCode).toBe(204);
    expect((await api.ask(`GET ${path}/${created.id}`)).statusCode).toBe(404);
  });

  test.each([
    [{ pattern: "support" }, "pattern"],
    [{ pattern: "a*@app.example" }, "pattern"],
    [{ shape: "other" }, "shape"],
    [{ url: "http://internal.example" }, "url"],
    [{ settings: { username: "a:b" } }, "settings.username"],
  ])("responds 400 to %j and names the field", async (body, field) => {
    const route = { pattern: "support@app.example", shape: "raw", url: applicationUrl, ...body };
    const reply = await api.ask(`POST /api/servers/${server.id}/inbound-routes`, { body: route });
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });
});

test("a route for another server is refused, in the same words whether the server exists or not", async () => {
  const other = await api.addServer();
  const { key } = (await api.ask("POST /api/keys", { body: { server: server.id } })).json<{ key: string }>();
  const path = `/api/servers/${server.id}/inbound-routes`;
  const add = async (pattern: string, asked = key) =>
    await api.ask(`POST ${path}`, { key: asked, body: { pattern, shape: "raw", url: applicationUrl } });
  const own = await add(`*@${server.id}.restante.test`);
  expect(own.statusCode).toBe(200);
  const answers = [];
  for (const id of [other.id, "nobody00"]) {
    const patterns = [`*@${id}.restante.test`, `a@${id}.restante.test`, `a@x.${id}.restante.test`];
    for (const pattern of patterns) {
      const reply = await add(pattern);
      answers.push([reply.statusCode, reply.body.replaceAll(id, "ID")]);
    }
    const changed = await api.ask(`PUT ${path}/${own.json<ShownTargets["inbound"]>().id}`, {
      key,
      body: { pattern: patterns[0] },
    });
    expect([changed.statusCode, changed.body.replaceAll(id, "ID")]).toEqual(answers.at(-3));
  }
  expect(answers.slice(0, 3)).toEqual(answers.slice(3));
  expect(answers.map(([status]) => status)).toEqual([400, 400, 400, 400, 400, 400]);
  expect((await add("a@customer.example")).statusCode).toBe(200);
});

test("mail to a foreign domain that begins with the id of another server is handed over, as without that server", async () => {
  const other = await api.addServer();
  await addRoute({ pattern: `a@${other.id}.app.example` });
  await addRoute({ pattern: "a@nobody00.app.example" });
  const { key } = (await api.ask("POST /api/keys", { body: { server: server.id } })).json<{ key: string }>();
  for (const id of [other.id, "nobody00"]) {
    const body = { to: `a@${id}.app.example`, subject: "Help", text: "Please", send: true };
    expect((await api.ask(`POST /api/messages?server=${server.id}`, { key, body })).statusCode).toBe(200);
  }
  await deliveries.process();
  expect((await deliveries.list()).map(({ type }) => type)).toEqual(["inbound", "inbound"]);
});

describe("mail to an address of an inbound route", () => {
  test("is sent without verification, and handed over instead of relayed", async () => {
    await addRoute();
    const body = { to: "support@app.example", subject: "Help", text: "Please", send: true };
    const sent = await api.ask(`POST /api/messages?server=${server.id}`, { body });
    expect(sent.json()).toMatchObject({ delivery: { status: "Sent" } });
    await deliveries.process();
    const [request, ...others] = await deliveries.requests();
    expect(others).toEqual([]);
    expect(JSON.parse(request?.body ?? "{}")).toMatchObject({
      Subject: "Help",
      TextBody: expect.stringContaining("Please") as string,
      OriginalRecipient: "support@app.example",
    });
  });

  test("is refused from another server, and after the route is deleted", async () => {
    const { id } = await addRoute({ pattern: "*@app.example" });
    const other = await api.addServer();
    const body = { to: "support@app.example", subject: "Help", text: "Please", send: true };
    expect((await api.ask(`POST /api/messages?server=${other.id}`, { body })).statusCode).toBe(400);
    await api.ask(`DELETE /api/servers/${server.id}/inbound-routes/${id}`);
    expect((await api.ask(`POST /api/messages?server=${server.id}`, { body })).statusCode).toBe(400);
  });

  test("is handed over when the server receives it, once for each route", async () => {
    const pattern = `support@${server.id}.restante.test`;
    await addRoute({ pattern });
    await addRoute({ pattern: `*@${server.id}.restante.test`, shape: "raw" });
    const message = await api.deliver(server, { to: pattern });
    await api.deliver(server, { to: `other@${server.id}.restante.test` });
    await deliveries.process();
    const list = await deliveries.list();
    expect(list.map((one) => [one.type, one.message === message])).toEqual([
      ["inbound", true],
      ["inbound", true],
      ["inbound", false],
    ]);
  });

  test("a reply to a mail of the application is handed over", async () => {
    await addRoute({ shape: "mailgun" });
    const id = await api.deliver(server, { from: "support@app.example", subject: "Ticket 1", text: "Hello" });
    const reply = await api.ask(`POST /api/messages/${id}/reply`, { body: { text: "My answer" } });
    expect(reply.statusCode).toBe(200);
    await deliveries.process();
    const [request] = await deliveries.requests();
    expect(request?.body).toContain("subject=Re%3A+Ticket+1");
  });
});

describe("POST /api/messages/:id/inbound", () => {
  const hand = async (id: string, body: object) => {
    const reply = await api.ask(`POST /api/messages/${id}/inbound`, { body });
    return { status: reply.statusCode, reply, made: reply.json<Partial<WireMadeDeliveries>>().deliveries ?? [] };
  };

  test("responds 403 to a key that may only send and names a URL, which would receive the mail", async () => {
    const route = await addRoute();
    const id = await api.deliver(server);
    const sender = await api.ask("POST /api/keys", { body: { server: server.id, scope: "send" } });
    const { key } = sender.json<{ key: string }>();
    const handTo = async (body: object) =>
      (await api.ask(`POST /api/messages/${id}/inbound`, { key, body })).statusCode;
    expect(await handTo({ shape: "raw", url: applicationUrl })).toBe(403);
    expect(await deliveries.list()).toEqual([]);
    expect(await handTo({ route: route.id })).toBe(201);
  });

  test("hands a mail to a route, with variants", async () => {
    const route = await addRoute();
    const id = await api.deliver(server);
    const { status, made } = await hand(id, { route: route.id, variants: ["duplicate"] });
    expect([status, made.map(({ target }) => target)]).toEqual([201, [route.id, route.id]]);
  });

  test.each(["sendgrid", "mailgun", "postmark", "mandrill", "raw"])(
    "hands a mail over as %s without a route",
    async (shape) => {
      const id = await api.deliver(server, { subject: "Hello", text: "Body of the mail" });
      const { status, made } = await hand(id, { shape, url: applicationUrl });
      expect([status, made[0]?.target]).toEqual([201, null]);
      const request = await deliveries.request(made[0]?.id ?? "");
      expect(decodeURIComponent(request.body)).toMatch(/Body(?: |\+)of(?: |\+)the(?: |\+)mail/);
    },
  );

  test("has no request once the message is deleted", async () => {
    const route = await addRoute();
    const id = await api.deliver(server);
    const { made } = await hand(id, { route: route.id });
    await api.ask(`DELETE /api/messages/${id}`);
    const reply = await api.ask(`GET /api/servers/${server.id}/deliveries/${made[0]?.id ?? ""}`);
    expect(reply.json()).toMatchObject({ request: null });
  });

  test.each([
    [{}, "shape"],
    [{ shape: "raw" }, "url"],
    [{ shape: "raw", url: "http://internal.example" }, "url"],
    [{ route: "6d1b9d4e-0000-4000-8000-000000000000" }, "route"],
    [{ shape: "raw", url: applicationUrl, recipient: "other@x.example" }, "recipient"],
    [{ shape: "ses", url: applicationUrl }, "shape"],
  ])("responds 400 and names the field: %j", async (body, field) => {
    const id = await api.deliver(server);
    const { status, reply } = await hand(id, body);
    expect([status, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });
});
