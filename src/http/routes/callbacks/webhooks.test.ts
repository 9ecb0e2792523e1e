import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createChangeProcessor } from "../../../operations/callbacks/process-changes.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { ShownTargets } from "../../../operations/callbacks/target-schema.ts";
import type { ShownDelivery, ShownDeliveryDetail } from "../../../operations/callbacks/delivery-schema.ts";
import type { WireError } from "../../wire/error-schema.ts";

const url = "http://app.test/hooks";
let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  // The libraries compare timestamps with the clock of the machine.
  api = await openHttpTestServer();
  api.clock.stepWall(Date.now() - api.clock.now());
});
afterAll(async () => api[Symbol.asyncDispose]());

async function addWebhook(body: object = {}): Promise<ShownTargets["webhook"]> {
  server = await api.addServer();
  return (await api.ask(`POST /api/servers/${server.id}/webhooks`, { body: { url, ...body } })).json();
}

async function processAll(): Promise<void> {
  const processor = createChangeProcessor(api.context);
  for (const one of await api.context.store.callbacks.listLaggingServers(100)) await processor.process(one);
}

async function list(query = ""): Promise<readonly ShownDelivery[]> {
  return (await api.ask(`GET /api/servers/${server.id}/deliveries${query}`)).json();
}

async function requestOf(id: string): Promise<NonNullable<ShownDeliveryDetail["request"]>> {
  const { request } = (await api.ask(`GET /api/servers/${server.id}/deliveries/${id}`)).json<ShownDeliveryDetail>();
  if (request === null) throw new Error("the delivery has no request");
  return request;
}

interface Event {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function events(): Promise<readonly Event[]> {
  const made = await Promise.all((await list()).map(async ({ id }) => requestOf(id)));
  return made.map(({ body }) => JSON.parse(body) as Event);
}

describe("webhooks of a server", () => {
  test("are created, listed, changed and deleted; the secret is shown once", async () => {
    const created = await addWebhook({ description: "Staging", events: ["message.received"], type: "Email" });
    expect(created).toMatchObject({ server: server.id, url, state: "active", direction: null, criteria: null });
    expect(created.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const base = `/api/servers/${server.id}/webhooks`;
    const stored = { ...created, secret: null };
    expect((await api.ask(`GET ${base}`)).json()).toEqual([stored]);
    const change = { state: "paused", type: null, criteria: { subject: "Invoice" } };
    const changed = (await api.ask(`PUT ${base}/${created.id}`, { body: change })).json<ShownTargets["webhook"]>();
    expect(changed).toEqual({ ...stored, ...change, criteria: { match: "ALL", subject: "Invoice" } });
    expect((await api.ask(`GET ${base}/${created.id}`)).json()).toEqual(changed);
    expect((await api.ask(`DELETE ${base}/${created.id}`)).statusCode).toBe(204);
    expect((await api.ask(`GET ${base}/${created.id}`)).statusCode).toBe(404);
    expect((await api.ask("GET /api/audit?itemsPerPage=3")).json()).toMatchObject([
      { action: "webhook.delete", target: created.id, server: server.id },
      { action: "webhook.update", details: { fields: ["type", "criteria", "state"] } },
      { action: "webhook.create", target: created.id },
    ]);
  });

  test.each([
    [{}, ["url"]],
    [{ url: "http://internal.example/" }, ["url"]],
    [{ url: "ftp://app.test/" }, ["url"]],
    [{ url, events: [], description: "x".repeat(201) }, ["description"]],
    [{ url, events: [] }, ["events"]],
    [{ url, secret: "whsec_c2hvcnQ=" }, ["secret"]],
    [{ url, criteria: {} }, ["criteria"]],
  ])("responds 400 and names the field: %j", async (body, fields) => {
    server = await api.addServer();
    const reply = await api.ask(`POST /api/servers/${server.id}/webhooks`, { body });
    expect([reply.statusCode, reply.json<WireError>().errors.map(({ field }) => field)]).toEqual([400, fields]);
  });

  test("are managed by a restricted key of their server, not by one that may only read", async () => {
    const webhook = await addWebhook();
    const path = `/api/servers/${server.id}/webhooks/${webhook.id}`;
    expect((await api.ask(`PUT ${path}`, { key: server.key, body: {} })).statusCode).toBe(200);
    const reader = await api.ask("POST /api/keys", { body: { server: server.id, scope: "read" } });
    const { key } = reader.json<{ key: string }>();
    expect((await api.ask(`GET ${path}`, { key })).statusCode).toBe(200);
    expect((await api.ask(`PUT ${path}`, { key, body: {} })).statusCode).toBe(403);
  });

  test("are found only below their own server", async () => {
    const webhook = await addWebhook();
    const other = await api.addServer();
    expect((await api.ask(`GET /api/servers/${other.id}/webhooks/${webhook.id}`)).statusCode).toBe(404);
  });
});

test("a ping is refused with 429 when too many deliveries are pending", async () => {
  const { id } = await addWebhook();
  const path = `POST /api/servers/${server.id}/webhooks/${id}/ping`;
  const { callbacks } = api.context.store;
  const first = await callbacks.getCallbackDelivery((await api.ask(path)).json<ShownDelivery>().id);
  const pending = vi.spyOn(callbacks, "listDeliveries").mockResolvedValueOnce(first === undefined ? [] : [first]);
  expect((await api.ask(path)).statusCode).toBe(429);
  pending.mockRestore();
  expect(await list()).toHaveLength(1);
});

describe("requests of webhooks", () => {
  test("are verified by the libraries of Standard Webhooks and Svix, which refuse altered ones", async () => {
    const { secret } = await addWebhook();
    await api.deliver(server, { subject: "Welcome" });
    await processAll();
    const [delivery] = await list();
    const { headers, body } = await requestOf(delivery?.id ?? "");
    const own = new Webhook(secret ?? "");
    const svix = new SvixWebhook(secret ?? "");
    expect(own.verify(body, headers)).toMatchObject({ type: "message.received", data: { subject: "Welcome" } });
    expect(() => {
      svix.verify(body, headers);
    }).not.toThrow();
    const forged = body.replace("Welcome", "Goodbye");
    expect(() => own.verify(forged, headers)).toThrow("No matching signature");
    expect(() => {
      svix.verify(forged, headers);
    }).toThrow("No matching signature");
    const later = { ...headers, "webhook-id": "evt_0" };
    expect(() => own.verify(body, later)).toThrow("No matching signature");
  });

  test("have the facts of the message and less than 20 kB", async () => {
    const { secret: _secret } = await addWebhook();
    const to = Array.from(
      { length: 300 },
      (_, at) => `"${"n".repeat(80)}" <r${String(at)}@${server.id}.restante.test>`,
    );
    const raw = `From: ${"x".repeat(300)} <a@b.example>\r\nTo: ${to.join(",\r\n ")}\r\nSubject: ${"s".repeat(900)}\r\n\r\nx`;
    const id = await api.deliver(server, { raw });
    await processAll();
    const [delivery] = await list();
    expect(delivery).toMatchObject({ type: "message.received", message: id, status: "Pending", attemptCount: 0 });
    const { body } = await requestOf(delivery?.id ?? "");
    expect(body.length).toBeLessThan(20_000);
    const event = JSON.parse(body) as Event;
    expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(event.data).toMatchObject({
      id,
      server: server.id,
      direction: "Received",
      type: "Email",
      provider: null,
      url: `http://localhost/api/messages/${id}`,
    });
  });

  test("are signed with both secrets for 24 hours after a rotation", async () => {
    const created = await addWebhook();
    const path = `/api/servers/${server.id}/webhooks/${created.id}`;
    const rotated = (await api.ask(`POST ${path}/secret`, { body: {} })).json<ShownTargets["webhook"]>();
    expect(rotated.secret).not.toBe(created.secret);
    const ping = await api.ask(`POST ${path}/ping`);
    expect([ping.statusCode, ping.json<ShownDelivery>().type]).toEqual([201, "ping"]);
    const { id } = ping.json<ShownDelivery>();
    const during = await requestOf(id);
    for (const { secret } of [created, rotated]) {
      expect(new Webhook(secret ?? "").verify(during.body, during.headers)).toMatchObject({ type: "ping" });
    }
    api.clock.stepWall(24 * 3_600_000);
    const { headers } = await requestOf(id);
    api.clock.stepWall(-24 * 3_600_000);
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(1);
  });
});

describe("events of webhooks", () => {
  test("report received, sent and deleted messages and deliveries, in order", async () => {
    await addWebhook();
    const received = await api.deliver(server);
    const body = { to: `a@${server.id}.restante.test`, subject: "Sent", text: "x", send: true };
    const sent = (await api.ask(`POST /api/messages?server=${server.id}`, { body })).json<{ id: string }>();
    await api.ask(`DELETE /api/messages/${received}`);
    await processAll();
    const made = (await events()).toReversed().map(({ type, data }) => [type, data["id"]]);
    expect(made).toEqual([
      ["message.received", received],
      ["message.sent", sent.id],
      ["message.delivery", sent.id],
      ["message.received", expect.any(String)],
      ["message.deleted", received],
    ]);
  });

  test("report a message that was deleted before it was processed by its id", async () => {
    await addWebhook({ events: ["message.received"] });
    const id = await api.deliver(server);
    await api.ask(`DELETE /api/messages/${id}`);
    await processAll();
    expect(await events()).toMatchObject([{ data: { id, direction: "Received", deleted: true } }]);
  });

  test.each([
    [{ type: "SMS" }, []],
    [{ direction: "Sent" }, []],
    [{ criteria: { subject: "invoice" } }, ["Invoice 1"]],
    [{ criteria: { body: "total" } }, ["Invoice 1"]],
    [{ criteria: { sentFrom: "other@sender.example", subject: "invoice", match: "ANY" } }, ["Invoice 1", "Other"]],
  ])("are those that the filters select: %j", async (filter, subjects) => {
    await addWebhook({ ...filter, events: ["message.received"] });
    await api.deliver(server, { subject: "Other", from: "other@sender.example", text: "x" });
    await api.deliver(server, { subject: "Invoice 1", text: "Total: 1 EUR" });
    await processAll();
    expect((await events()).map(({ data }) => data["subject"])).toEqual(subjects);
  });

  test("are made once when two nodes process the same changes", async () => {
    await addWebhook();
    await api.deliver(server);
    const lagging = (await api.context.store.callbacks.listLaggingServers(10)).filter(
      (one) => one.server === server.id,
    );
    const results = await Promise.all(
      [...lagging, ...lagging].map(async (one) => createChangeProcessor(api.context).process(one)),
    );
    expect(results.map(({ result }) => result).toSorted()).toEqual(["lost", "processed"]);
    expect(await list()).toHaveLength(1);
  });
});

describe("deliveries", () => {
  test("are filtered, paged, replayed and erased", async () => {
    const webhook = await addWebhook();
    for (const subject of ["a", "b", "c"]) await api.deliver(server, { subject });
    await processAll();
    expect(await list(`?target=${webhook.id}&status=pending&type=message.received`)).toHaveLength(3);
    expect(await list("?status=Failed")).toEqual([]);
    const first: Reply = await api.ask(`GET /api/servers/${server.id}/deliveries?itemsPerPage=2`);
    expect(first.json()).toHaveLength(2);
    const next = /<([^>]+)>/.exec(String(first.headers["link"]))?.[1] ?? "";
    expect((await api.ask(`GET ${next}`)).json()).toHaveLength(1);
    const [delivery] = await list();
    const path = `/api/servers/${server.id}/deliveries/${delivery?.id ?? ""}`;
    expect((await api.ask(`POST ${path}/replay`)).statusCode).toBe(409);
    expect((await api.ask(`POST ${path}/erase`)).statusCode).toBe(204);
    expect((await api.ask(`GET ${path}`)).json()).toMatchObject({ status: "Cancelled", request: null, attempts: [] });
    expect((await api.ask(`POST ${path}/replay`)).statusCode).toBe(409);
    const replay = { body: { status: "Cancelled" } };
    expect((await api.ask(`POST /api/servers/${server.id}/deliveries/replay`, replay)).json()).toEqual({ replayed: 0 });
  });

  test.each(["?status=Open", "?since=x", "?page=-1"])("responds 400 to %s", async (query) => {
    server = await api.addServer();
    expect((await api.ask(`GET /api/servers/${server.id}/deliveries${query}`)).statusCode).toBe(400);
  });
});
