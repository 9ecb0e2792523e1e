import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { KeyScope } from "../../core/api-key.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import { targetCountPerServerMax } from "../../core/limits.ts";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import { and, or } from "../../core/search/search-expression.ts";
import { decodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import { requestFailure } from "../../egress/delivery-failure.ts";
import { uuidOfHash } from "../../providers/formats/uuid.ts";
import type { ProviderSession } from "../../providers/provider.ts";
import type { MailboxSubscription, SubscriptionValues } from "../../providers/mailbox-subscriptions.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { removeEndedSubscriptions } from "../callbacks/mailbox-targets.ts";
import { createOpenReceiver } from "../callbacks/open-receiver.ts";
import { createChangeProcessor } from "../callbacks/process-changes.ts";
import type { Context } from "../context.ts";
import { addKey, newSecret } from "../keys/keys.ts";
import { openProviderSession } from "./provider-session.ts";

let api: HttpTestServer;
let server: TestServer;
let key: string;
const answers = new Map<string, number>();
const hour = 3_600_000;

beforeAll(async () => {
  const callbackClient: Context["callbackClient"] = {
    send: async ({ url }) => {
      const status = answers.get(url);
      if (status === undefined) throw requestFailure("No response", false);
      return { status, retryAfterMs: null, answer: { status, headers: {}, body: Buffer.from("body") } };
    },
    close: () => undefined,
  };
  const targets = createTargetPolicy({ origins: ["https://app.example"], allowsLoopback: true });
  api = await openHttpTestServer({ context: { callbackClient }, settings: { targets, acceptsAnyProviderKey: true } });
  await api.addServer();
});
beforeEach(async () => {
  api.clock.advance(1);
  server = await api.addServer();
  key = await newKey();
});
afterAll(async () => api[Symbol.asyncDispose]());

async function newKey(own: ServerId | null = null): Promise<string> {
  return (await addKey(api.context, { secret: newSecret(), name: "app", server: own })).key.id;
}

interface Owner {
  readonly keyId?: string;
  readonly own?: ServerId | null;
  readonly isKnown?: boolean;
  readonly scope?: KeyScope;
}

function open({ keyId = key, own = null, isKnown = true, scope = "full" }: Owner = {}): ProviderSession {
  const caller = { principal: { keyId, server: own, scope }, provider: "graph", isKnown };
  return openProviderSession(api.context, caller);
}

const user = (): string => `ada@${server.id}.restante.test`;

function values(given: Partial<SubscriptionValues> = {}): SubscriptionValues {
  return {
    kinds: ["added", "marked", "deleted"],
    where: { Received: and(), Sent: and() },
    options: { notificationUrl: "https://app.example/mail", lifecycleNotificationUrl: "https://app.example/life" },
    secrets: { clientState: "secret" },
    expiresAt: api.clock.now() + hour,
    ...given,
  };
}

/** Turns all changes of the server into deliveries; returns the notifications of subscriptions. */
async function notified(): Promise<readonly (readonly [kind: string, message: MessageId | null])[]> {
  const { callbacks } = api.context.store;
  const processor = createChangeProcessor(api.context);
  for (;;) {
    const lagging = (await callbacks.listLaggingServers(100)).find((one) => one.server === server.id);
    if (lagging === undefined) break;
    expect(await processor.process(lagging)).toMatchObject({ errors: [] });
  }
  return (await deliveries()).map(({ type, message }) => [type, message] as const);
}

const filter = { target: null, message: null, status: null, type: null, since: null, before: null };

async function deliveries() {
  const all = await api.context.store.callbacks.listDeliveries(server.id, filter, { offset: 0, limit: 1000 });
  return all.filter(({ type }) => type !== "mailbox.expiring").toReversed();
}

test("notifies of mail that arrives, of its marks and its deletion, with the secret and the instant of its end", async () => {
  const { subscriptions, openMailbox } = open();
  const before = await api.deliver(server);
  const { id, address } = await subscriptions.add(user(), values());
  expect(address).toBe(user());
  const arrived = await api.deliver(server);
  const mailbox = await openMailbox(user());
  await mailbox.mark([before, arrived], { addFlags: ["seen"] });
  await mailbox.remove(before);
  await api.ask("POST /api/sms", { body: { server: server.id, from: "+15550100", to: "+15550101", text: "no mail" } });
  expect(await notified()).toEqual([
    ["mailbox.added", arrived],
    ["mailbox.marked", arrived],
    ["mailbox.deleted", before],
  ]);
  const [first, ...rest] = await deliveries();
  if (first === undefined) throw new Error("nothing is delivered");
  const receiver = await createOpenReceiver(api.context)(first);
  const { url, request, deliveryCount } = await receiver.render([first, ...rest], api.clock.now());
  expect([url, deliveryCount]).toEqual(["https://app.example/mail", 3]);
  const { value } = JSON.parse(Buffer.from(request.body).toString("utf8")) as { value: readonly object[] };
  const shared = { subscriptionId: id, clientState: "secret", tenantId: expect.any(String) as string };
  expect(value).toMatchObject(["created", "updated", "deleted"].map((changeType) => ({ ...shared, changeType })));
});

test("notifies of the kinds and mails that it is about", async () => {
  const { subscriptions, openMailbox } = open();
  const where = { Received: { kind: "flag", flag: "flagged" }, Sent: or() } as const;
  await subscriptions.add(user(), values({ kinds: ["marked", "deleted"], where }));
  const [one, two] = [await api.deliver(server), await api.deliver(server)];
  const mailbox = await openMailbox(user());
  const marks = { flags: [], tags: [] };
  const sent = await mailbox.place({ raw: Buffer.from("\r\n"), direction: "Sent", marks, providerIdOf: (id) => id });
  await mailbox.mark([one], { addFlags: ["flagged"] });
  await mailbox.mark([two], { addTags: ["x"] });
  for (const id of [two, sent]) await mailbox.remove(id);
  // Of a deleted mail, only the direction is known.
  expect(await notified()).toEqual([
    ["mailbox.marked", one],
    ["mailbox.deleted", two],
  ]);
});

test("notifies a key that is not stored of mail that came through the provider", async () => {
  const { subscriptions, openMailbox } = open({ keyId: "unknown:1", isKnown: false });
  await subscriptions.add(user(), values());
  const foreign = await api.deliver(server);
  const mailbox = await openMailbox(user());
  const place = { raw: Buffer.from("\r\n"), direction: "Received", marks: { flags: [], tags: [] } } as const;
  const own = await mailbox.place({ ...place, providerIdOf: (id) => id });
  await (await open().openMailbox(user())).remove(foreign);
  await mailbox.remove(own);
  // The mail was deleted before its arrival was looked at.
  expect(await notified()).toEqual([["mailbox.deleted", own]]);
});

test("reports that changes were missed when the server is emptied", async () => {
  const { id } = await open().subscriptions.add(user(), values());
  await api.ask(`DELETE /api/messages?server=${server.id}`);
  expect(await notified()).toEqual([["mailbox.missed", null]]);
  const [missed] = await deliveries();
  if (missed === undefined) throw new Error("nothing is delivered");
  const { url, request } = await (await createOpenReceiver(api.context)(missed)).render([missed], 0);
  expect(url).toBe("https://app.example/life");
  expect(JSON.parse(Buffer.from(request.body).toString("utf8"))).toMatchObject({
    value: [{ subscriptionId: id, lifecycleEvent: "missed", clientState: "secret" }],
  });
});

test("is seen and changed by its own key only", async () => {
  const { id } = await open().subscriptions.add(user(), values());
  expect((await open().subscriptions.list()).map((one) => one.id)).toEqual([id]);
  const others: readonly Owner[] = [
    { keyId: await newKey() },
    { keyId: await newKey(server.id), own: server.id },
    { keyId: `unknown:${key}`, isKnown: false },
  ];
  for (const other of others) {
    const { subscriptions } = open(other);
    expect(await subscriptions.list()).toEqual([]);
    const calls = [
      subscriptions.get(id),
      subscriptions.change(id, { expiresAt: 0 }),
      subscriptions.remove(id),
      subscriptions.report(id, "removed"),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "not_found" });
  }
  const { subscriptions } = open({ scope: "read" });
  await expect(subscriptions.add(user(), values())).rejects.toMatchObject({ code: "forbidden" });
  await expect(subscriptions.remove(id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(open({ own: server.id }).subscriptions.get("no-id")).rejects.toMatchObject({ code: "not_found" });
  await open().subscriptions.remove(id);
  await expect(open().subscriptions.get(id)).rejects.toMatchObject({ code: "not_found" });
});

test("ends at its instant, and with its key and its server", async () => {
  const { subscriptions } = open();
  const { callbacks } = api.context.store;
  const short = await subscriptions.add(user(), values({ expiresAt: api.clock.now() + 1000 }));
  const long = await subscriptions.add(user(), values({ expiresAt: api.clock.now() + 48 * hour }));
  const revoked = await open({ keyId: await newKey() }).subscriptions.add(user(), values());
  api.clock.advance(1000);
  await api.context.store.removeKey(await keyOf(revoked));
  expect((await subscriptions.list()).map(({ id }) => id)).toEqual([long.id]);
  const arrived = await api.deliver(server);
  expect((await notified()).filter(([, message]) => message === arrived)).toHaveLength(1);

  await removeEndedSubscriptions(api.context);
  const kept = async () => (await callbacks.listTargets(server.id, "mailbox")).map(({ id }) => id).toSorted();
  expect(await kept()).toEqual([short.id, long.id].toSorted());
  api.clock.advance(24 * hour);
  await removeEndedSubscriptions(api.context);
  expect(await kept()).toEqual([long.id]);
  await api.ask(`DELETE /api/servers/${server.id}`);
  expect(await callbacks.getTarget(long.id)).toBeUndefined();
});

async function keyOf({ id }: MailboxSubscription): Promise<string> {
  const target = await api.context.store.callbacks.getTarget(id);
  return (JSON.parse(target?.settingsJson ?? "{}") as { readonly key: string }).key;
}

test("refuses notifications after its end, except that it was removed", async () => {
  const { subscriptions } = open();
  const { id } = await subscriptions.add(user(), values());
  await api.deliver(server);
  await notified();
  await subscriptions.report(id, "removed");
  await expect(subscriptions.get(id)).rejects.toMatchObject({ code: "not_found" });
  const [added, removed] = await deliveries();
  if (added === undefined || removed === undefined) throw new Error("nothing is delivered");
  const openReceiver = createOpenReceiver(api.context);
  await expect((await openReceiver(added)).render([added], 0)).rejects.toThrow("The subscription has ended");
  const { request } = await (await openReceiver(removed)).render([removed], 0);
  expect(Buffer.from(request.body).toString("utf8")).toContain('"lifecycleEvent":"subscriptionRemoved"');
});

test("plans the notice of its end anew when it is renewed", async () => {
  const { subscriptions } = open();
  const { callbacks } = api.context.store;
  const first = api.clock.now() + hour;
  const { id } = await subscriptions.add(user(), values({ expiresAt: first }));
  const planned = async (at: number) => callbacks.getCallbackDelivery(uuidOfHash(`${id} expiring ${String(at)}`));
  expect(await planned(first)).toMatchObject({ status: "Pending", dueAt: first - hour / 4 });
  const second = first + 60_000;
  await subscriptions.change(id, { expiresAt: second });
  expect([await planned(first), await planned(second)]).toMatchObject([{ status: "Cancelled" }, { status: "Pending" }]);
  const content = (await planned(second))?.content;
  expect(content && decodeDeliveryContent(content)).toMatchObject({ notification: { kind: "expiring" } });
  const silent = await subscriptions.add(user(), values({ options: { notificationUrl: "https://app.example/mail" } }));
  expect(await callbacks.getCallbackDelivery(uuidOfHash(`${silent.id} expiring ${String(first)}`))).toBeUndefined();
});

test("is limited in number and size; ended ones make room", async () => {
  const { subscriptions } = open();
  const soon = api.clock.now() + 1000;
  for (let count = 1; count < targetCountPerServerMax; count += 1) await subscriptions.add(user(), values());
  await subscriptions.add(user(), values({ expiresAt: soon }));
  await expect(subscriptions.add(user(), values())).rejects.toMatchObject({ code: "limit_reached" });
  api.clock.advance(1000);
  const { id } = await subscriptions.add(user(), values());
  const options = { notificationUrl: `https://app.example/${"x".repeat(16_000)}` };
  await expect(subscriptions.change(id, { options })).rejects.toMatchObject({ code: "invalid_request" });
});

test("sends to URLs that the operator allows, and returns why there is no response", async () => {
  const { subscriptions } = open();
  const request = { headers: {}, contentType: "text/plain", body: new Uint8Array() };
  answers.set("https://app.example/hook", 200);
  expect(await subscriptions.send("https://app.example/hook", request)).toMatchObject({ status: 200 });
  expect(await subscriptions.send("https://app.example/silent", request)).toEqual({ refusal: "No response" });
  for (const url of ["https://other.example/hook", "http://169.254.169.254/", "file:///etc/passwd", "x"]) {
    await expect(subscriptions.send(url, request)).rejects.toMatchObject({ fields: [{ field: "url" }] });
    expect(() => {
      subscriptions.checkUrl(url);
    }).toThrow("invalid parameters");
  }
});
