import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { KeyScope } from "../../core/api-key.ts";
import type { ServerId } from "../../core/ids.ts";
import { targetCountPerServerMax } from "../../core/limits.ts";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import type { EventSelection, WebhookValues } from "../../providers/webhooks.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { createChangeProcessor } from "../callbacks/process-changes.ts";
import { openProviderSession } from "./provider-session.ts";

let api: HttpTestServer;
let catchAll: TestServer;
let server: TestServer;

beforeAll(async () => {
  const targets = createTargetPolicy({ origins: ["https://app.example"], allowsLoopback: true });
  api = await openHttpTestServer({ settings: { targets, acceptsAnyProviderKey: true } });
  catchAll = await api.addServer();
});
beforeEach(async () => {
  api.clock.advance(1);
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

interface Owner {
  readonly own?: ServerId | null;
  readonly isKnown?: boolean;
  readonly scope?: KeyScope;
  readonly provider?: string;
}

function open({
  own = server.id,
  isKnown = true,
  scope = "full",
  provider = "sparkpost",
}: Owner = {}): ProviderSession {
  return openProviderSession(api.context, { principal: { keyId: "key", server: own, scope }, provider, isKnown });
}

function values(given: Partial<WebhookValues & EventSelection> = {}): WebhookValues & EventSelection {
  const facts = { name: "Delivery" };
  return { url: "https://app.example/hook", settings: {}, isActive: true, events: ["delivery"], facts, ...given };
}

/** Sends a mail through SparkPost to the server; returns the types of the deliveries that all changes so far cause, by target. */
async function reported(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { callbacks } = api.context.store;
  const body = {
    recipients: [{ address: `zoe@${server.id}.restante.test` }],
    content: { from: "app@shop.example", subject: "Hello", text: "Hi" },
  };
  const headers = { authorization: server.key };
  const reply = await api.ask("POST /providers/sparkpost/api/v1/transmissions", { key: null, headers, body });
  expect(reply.statusCode).toBe(200);
  const processor = createChangeProcessor(api.context);
  for (;;) {
    const lagging = (await callbacks.listLaggingServers(100)).find((one) => one.server === server.id);
    if (lagging === undefined) break;
    expect(await processor.process(lagging)).toMatchObject({ errors: [] });
  }
  const filter = { target: null, message: null, status: null, type: null, since: null, before: null };
  const all = await callbacks.listDeliveries(server.id, filter, { offset: 0, limit: 1000 });
  const byTarget = Map.groupBy(all.toReversed(), ({ target }) => target ?? "");
  return Object.fromEntries(Array.from(byTarget, ([target, own]) => [target, own.map(({ type }) => type)]));
}

test("webhooks get the events that they select, beside the event webhook of the server", async () => {
  const { events } = open().webhooks;
  const one = await events.add(values());
  const both = await events.add(values({ events: ["injection", "delivery", "open"] }));
  await events.add(values({ events: ["open"] }));
  await events.add(values({ isActive: false }));
  const path = `PUT /api/servers/${server.id}/event-webhooks/sparkpost`;
  const own = (await api.ask(path, { body: { url: "https://app.example/own" } })).json<{ readonly id: string }>();
  expect(await reported()).toEqual({
    [one.id]: ["delivered"],
    [both.id]: ["processed", "delivered"],
    [own.id]: ["processed", "delivered"],
  });
});

test("an emitted event reaches the webhooks that select it", async () => {
  const { events } = open().webhooks;
  const hook = await events.add(values({ events: ["bounce"] }));
  await reported();
  const [message] = (await api.ask(`GET /api/messages?server=${server.id}`)).json<readonly { readonly id: string }[]>();
  const emit = async (type: string) =>
    api.ask(`POST /api/messages/${message?.id ?? ""}/events`, { body: { type }, key: server.key });
  expect((await emit("bounced")).json()).toMatchObject({ deliveries: [{ target: hook.id, type: "bounced" }] });
  expect((await emit("opened")).statusCode).toBe(400);
  await events.remove(hook.id);
  expect((await emit("bounced")).statusCode).toBe(400);
});

test("a mail of another provider causes no events", async () => {
  await open({ provider: "mandrill" }).webhooks.events.add(values({ events: ["send", "delivered"] }));
  expect(await reported()).toEqual({});
});

test("a relay webhook gets mail for its domain, and only for one that the server receives", async () => {
  const { inbound } = open().webhooks;
  const { events: _events, ...relay } = values();
  const { id } = await inbound.add({ ...relay, pattern: `*@${server.id}.restante.test` });
  expect(await reported()).toEqual({ [id]: ["inbound"] });
  const other = await api.addServer();
  await expect(inbound.add({ ...relay, pattern: `*@${other.id}.restante.test` })).rejects.toMatchObject({
    fields: [{ field: "pattern" }],
  });
  await expect(inbound.change(id, { pattern: `*@${other.id}.restante.test` })).rejects.toMatchObject({
    fields: [{ field: "pattern" }],
  });
});

test("webhooks belong to the server of a restricted key, else to the catch-all, and to their provider", async () => {
  const { id } = await open().webhooks.events.add(values());
  const account = await open({ own: null }).webhooks.events.add(values());
  const unknown = await open({ own: null, isKnown: false }).webhooks.events.add(values());
  const seen = async (owner: Owner) => (await open(owner).webhooks.events.list()).map((one) => one.id);
  expect(await seen({})).toEqual([id]);
  expect(await seen({ own: null })).toEqual([account.id, unknown.id]);
  expect(await seen({ own: null, isKnown: false })).toEqual([unknown.id]);
  expect(await seen({ own: catchAll.id })).toEqual([account.id, unknown.id]);
  expect(await seen({ provider: "mandrill" })).toEqual([]);
  for (const owner of [{ own: null }, { own: catchAll.id }, { provider: "mandrill" }, { own: null, isKnown: false }]) {
    const { events } = open(owner).webhooks;
    await expect(events.change(id, { isActive: false })).rejects.toMatchObject({ code: "not_found" });
    await expect(events.remove(id)).rejects.toMatchObject({ code: "not_found" });
  }
  for (const one of [account, unknown]) await open({ own: null }).webhooks.events.remove(one.id);
});

test("the routes of a server's own event webhook do not change registered ones", async () => {
  const { id } = await open().webhooks.events.add(values());
  const path = `/api/servers/${server.id}/event-webhooks`;
  expect((await api.ask(`GET ${path}`)).json()).toEqual([]);
  expect((await api.ask(`DELETE ${path}/sparkpost`)).statusCode).toBe(404);
  expect((await open().webhooks.events.list()).map((one) => one.id)).toEqual([id]);
});

test("a key that may only read or send changes nothing, and sees no secrets", async () => {
  const { id, secrets } = await open().webhooks.events.add(values());
  expect(Object.keys(secrets)).toEqual(["token"]);
  for (const scope of ["read", "send"] as const) {
    const { events } = open({ scope }).webhooks;
    expect(await events.list()).toMatchObject([{ id, secrets: {} }]);
    await expect(events.add(values())).rejects.toMatchObject({ code: "forbidden" });
    await expect(events.change(id, {})).rejects.toMatchObject({ code: "forbidden" });
    await expect(events.remove(id)).rejects.toMatchObject({ code: "forbidden" });
  }
});

test("settings, URLs and numbers of webhooks are bounded", async () => {
  const { events } = open().webhooks;
  await expect(events.add(values({ url: "https://denied.example/" }))).rejects.toMatchObject({
    fields: [{ field: "url" }],
  });
  await expect(events.add(values({ facts: { name: "x".repeat(15_000) } }))).rejects.toMatchObject({
    fields: [{ field: "settings", code: "too_long" }],
  });
  const { id } = await events.add(values());
  await expect(events.change(id, { facts: { name: "x".repeat(15_000) } })).rejects.toMatchObject({
    fields: [{ field: "settings" }],
  });
  for (let count = 1; count < targetCountPerServerMax; count += 1) await events.add(values());
  await expect(events.add(values())).rejects.toMatchObject({ code: "limit_reached" });
});

test("new secret settings replace the earlier ones, and others stay", async () => {
  const { events } = open().webhooks;
  const { id, secrets } = await events.add(values({ settings: { token: "one", basicAuth: "u:p" } }));
  expect(secrets).toEqual({ token: "one", basicAuth: "u:p" });
  expect((await events.change(id, { events: ["open"] })).secrets).toEqual(secrets);
  expect((await events.change(id, { settings: { token: "two" } })).secrets).toEqual({ token: "two" });
});
