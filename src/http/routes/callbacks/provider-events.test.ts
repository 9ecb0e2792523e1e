import { EventWebhook } from "@sendgrid/eventwebhook";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { CallbackFormats, ShownTargets } from "../../../operations/callbacks/target-schema.ts";
import type { WireMadeDeliveries } from "../../../operations/callbacks/delivery-schema.ts";
import type { WireError } from "../../wire/error-schema.ts";
import { applicationUrl, sendBySendGrid, TestDeliveries, type TestRequest } from "./callbacks.test-aid.ts";

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

const addEvents = async (provider = "sendgrid", body: object = {}): Promise<ShownTargets["events"]> =>
  (
    await api.ask(`PUT /api/servers/${server.id}/event-webhooks/${provider}`, {
      body: { url: applicationUrl, ...body },
    })
  ).json();

const emit = async (id: string, body: object) => {
  const reply = await api.ask(`POST /api/messages/${id}/events`, { body });
  return { status: reply.statusCode, reply, deliveries: reply.json<Partial<WireMadeDeliveries>>().deliveries ?? [] };
};

function isSigned({ body, headers }: TestRequest, { publicKey }: ShownTargets["events"]): boolean {
  const verifier = new EventWebhook();
  const key = verifier.convertPublicKeyToECDSA(publicKey ?? "");
  const {
    "x-twilio-email-event-webhook-signature": signature = "",
    "x-twilio-email-event-webhook-timestamp": at = "",
  } = headers;
  return verifier.verifySignature(key, body, signature, at);
}

type Wire = Readonly<Record<string, unknown>>;

interface SendGridEvent {
  readonly event: string;
  readonly email: string;
  readonly sg_event_id: string;
  readonly timestamp: number;
  readonly order?: string;
}

async function eventsOf(): Promise<readonly SendGridEvent[]> {
  const requests = await deliveries.requests();
  return requests.flatMap(({ body }) => JSON.parse(body) as SendGridEvent[]);
}

describe("event webhooks", () => {
  test("are created, changed, rotated and deleted, one for each provider", async () => {
    const created = await addEvents();
    expect(created).toMatchObject({ provider: "sendgrid", url: applicationUrl, state: "active", confirmed: null });
    const changed = await addEvents("sendgrid", { events: ["bounced"], state: "paused" });
    expect(changed).toMatchObject({
      id: created.id,
      events: ["bounced"],
      state: "paused",
      publicKey: created.publicKey,
    });
    const path = `/api/servers/${server.id}/event-webhooks`;
    expect((await api.ask(`GET ${path}`)).json()).toEqual([changed]);
    const rotated = (await api.ask(`POST ${path}/sendgrid/secret`, { body: {} })).json<ShownTargets["events"]>();
    expect(rotated.publicKey).not.toBe(created.publicKey);
    expect((await api.ask(`DELETE ${path}/sendgrid`)).statusCode).toBe(204);
    expect((await api.ask(`GET ${path}/sendgrid`)).statusCode).toBe(404);
  });

  test.each([
    ["sendgrid", { url: "http://internal.example/" }, [400, "url"]],
    ["sendgrid", { settings: { other: "x" } }, [400, "settings.other"]],
    ["twilio", {}, [404, undefined]],
  ])("responds 400 to an event webhook of %s with %j: %j", async (provider, body, expected) => {
    const request = { body: { url: applicationUrl, ...body } };
    const reply = await api.ask(`PUT /api/servers/${server.id}/event-webhooks/${provider}`, request);
    expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual(expected);
  });

  test("wait for the confirmation of an SNS subscription", async () => {
    const created = await addEvents("ses");
    expect(created).toMatchObject({ state: "paused", confirmed: false });
    const [confirmation] = await deliveries.list();
    expect(confirmation).toMatchObject({ type: "confirmation", target: null, status: "Pending" });
    const early = await api.ask(`PUT /api/servers/${server.id}/event-webhooks/ses`, { body: { state: "active" } });
    expect(early.statusCode).toBe(409);
    const { body } = await deliveries.request(confirmation?.id ?? "");
    const { SubscribeURL: subscribe, Type: type } = JSON.parse(body) as Record<string, string>;
    expect(type).toBe("SubscriptionConfirmation");
    const confirmed = await api.ask(`GET ${(subscribe ?? "").replace("http://localhost", "")}`, { key: null });
    expect(confirmed.statusCode).toBe(200);
    const shown = await api.ask(`GET /api/servers/${server.id}/event-webhooks/ses`);
    expect(shown.json()).toMatchObject({ state: "active", confirmed: true });
  });

  test.each(["when it is created", "while it waits"])(
    "stay paused after the confirmation when paused %s",
    async (when) => {
      const path = `/api/servers/${server.id}/event-webhooks/ses`;
      const put = async (body: object) => (await api.ask(`PUT ${path}`, { body })).json<ShownTargets["events"]>();
      const confirm = async (): Promise<unknown> => {
        const confirmation = (await deliveries.list("?type=confirmation")).at(-1);
        const { body } = await deliveries.request(confirmation?.id ?? "");
        const { SubscribeURL: subscribe } = JSON.parse(body) as Record<string, string>;
        await api.ask(`GET ${(subscribe ?? "").replace("http://localhost", "")}`, { key: null });
        return (await api.ask(`GET ${path}`)).json();
      };
      await addEvents("ses", when === "when it is created" ? { state: "paused" } : {});
      if (when === "while it waits") await put({ state: "paused" });
      expect(await confirm()).toMatchObject({ state: "paused", confirmed: true });
      expect(await put({ url: `${applicationUrl}/moved` })).toMatchObject({ state: "paused", confirmed: false });
      expect(await confirm()).toMatchObject({ state: "paused", confirmed: true });
      await put({ url: applicationUrl });
      expect(await put({ state: "active" })).toMatchObject({ state: "paused", confirmed: false });
      expect(await confirm()).toMatchObject({ state: "active", confirmed: true });
    },
  );

  test("are described with their settings", async () => {
    const { events, inbound } = (await api.ask("GET /api/callback-formats")).json<CallbackFormats>();
    expect(events.map(({ name }) => name)).toContain("postmark");
    expect(inbound.map(({ name }) => name)).toContain("raw");
  });
});

test.each(["8640000000000000", "-1", "9999-01-02"])("rejects events at %s with 400", async (at) => {
  await addEvents("ses", { settings: { confirmation: "none" } });
  const { reply } = await emit(await api.deliver(server), { type: "deferred", provider: "ses", at });
  expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, "at"]);
});

describe("requests of deliveries", () => {
  test("are shown without the secret of a header field", async () => {
    await addEvents("postmark", { settings: { header: "X-Token: top-secret", basicAuth: "user:top-secret" } });
    const made = await emit(await api.deliver(server), { type: "bounced", provider: "postmark" });
    const shown = await api.ask(`GET /api/servers/${server.id}/deliveries/${made.deliveries[0]?.id ?? ""}`);
    expect(shown.json()).toMatchObject({ request: { headers: { "x-token": "***", authorization: "***" } } });
    expect(shown.body).not.toContain("top-secret");
  });

  test("hides requests of a confirmation from a key that may only read, since they contain the token", async () => {
    await addEvents("ses");
    const [confirmation] = await deliveries.list();
    const { key } = (await api.ask("POST /api/keys", { body: { scope: "read" } })).json<{ key: string }>();
    const path = `/api/servers/${server.id}/deliveries/${confirmation?.id ?? ""}`;
    expect((await api.ask(`GET ${path}`, { key })).json()).toMatchObject({ type: "confirmation", request: null });
    expect((await api.ask(`GET ${path}`)).body).toContain("SubscribeURL");
  });
});

describe("events of a mail that came through a provider", () => {
  test("are delivered for each recipient and verified by the provider's library", async () => {
    const webhook = await addEvents();
    const to = [`a@${server.id}.restante.test`, `b@${server.id}.restante.test`];
    await sendBySendGrid(api, server, to);
    await deliveries.process();
    expect((await eventsOf()).map(({ event, email, order }) => [event, email, order])).toEqual(
      to.flatMap((email) => [
        ["processed", email, "1"],
        ["delivered", email, "1"],
      ]),
    );
    const [request] = await deliveries.requests();
    if (request === undefined) throw new Error("there is no delivery");
    expect(isSigned(request, webhook)).toBe(true);
    expect(isSigned({ ...request, body: request.body.replace("processed", "delivered") }, webhook)).toBe(false);
  });

  test("are only those that the webhook selects, and none of other mail", async () => {
    await addEvents("sendgrid", { events: ["delivered", "opened"] });
    await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    await api.deliver(server);
    await deliveries.process();
    expect((await eventsOf()).map(({ event }) => event)).toEqual(["delivered"]);
  });
});

describe("POST /api/messages/:id/events", () => {
  test("emits events with their details, a second apart", async () => {
    await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    const at = "2026-11-20T10:00:00Z";
    const made = await emit(id, { types: ["delivered", "opened"], at, userAgent: "Mail/1" });
    expect([made.status, made.deliveries.map(({ type }) => type)]).toEqual([201, ["delivered", "opened"]]);
    const instant = Date.parse(at) / 1000;
    expect((await eventsOf()).map(({ timestamp }) => timestamp)).toEqual([instant - 1, instant]);
  });

  test("repeats an event with the same id, and reverses the order", async () => {
    await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    await emit(id, { types: ["delivered", "bounced"], variants: ["duplicate", "out_of_order"] });
    const events = await eventsOf();
    expect(events.map(({ event }) => event)).toEqual(["bounce", "bounce", "delivered", "delivered"]);
    expect(new Set(events.map((one) => one.sg_event_id)).size).toBe(2);
  });

  test("delays late events", async () => {
    await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    const { deliveries: made } = await emit(id, { type: "bounced", variants: ["late"], delayMs: 5000 });
    expect(Date.parse(made[0]?.nextAttemptAt ?? "") - Date.parse(made[0]?.createdAt ?? "")).toBe(5000);
  });

  test("signs a stale timestamp, and alters the signature", async () => {
    const webhook = await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    await emit(id, { type: "bounced", variants: ["stale_timestamp"] });
    await emit(id, { type: "bounced", variants: ["wrong_signature"] });
    const [stale, forged] = await deliveries.requests();
    if (stale === undefined || forged === undefined) throw new Error("there is no delivery");
    expect([isSigned(stale, webhook), isSigned(forged, webhook)]).toEqual([true, false]);
    const field = "x-twilio-email-event-webhook-timestamp";
    expect(Number(forged.headers[field]) - Number(stale.headers[field])).toBe(600);
  });

  test.each([
    [{}, "type"],
    [{ type: "unsubscribed", provider: "brevo" }, "provider"],
    [{ type: "bounced", provider: "twilio" }, "provider"],
    [{ type: "bounced", recipient: "other@x.example" }, "recipient"],
    [{ type: "bounced", variants: ["cut_off", "wrong_signature"] }, "variants"],
    [{ type: "bounced", delayMs: 5 }, "delayMs"],
    [{ type: "bounced", at: "yesterday" }, "at"],
    [{ type: "bounced", reason: "x".repeat(1001) }, "reason"],
  ])("responds 400 and names the field: %j", async (body, field) => {
    await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    const { status, reply } = await emit(id, body);
    expect([status, reply.json<WireError>().errors[0]?.field]).toEqual([400, field]);
  });

  test.each([
    ["resend", ({ data }: Wire) => (data as Wire)["headers"]],
    ["ses", ({ Message }: Wire) => ((JSON.parse(String(Message)) as Wire)["mail"] as Wire)["headers"]],
  ])("shows the application's own header fields in events of %s", async (provider, headersOf) => {
    await addEvents(provider, provider === "ses" ? { settings: { confirmation: "none" } } : {});
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    await emit(id, { type: "delivered", provider });
    const [request] = await deliveries.requests();
    const headers = headersOf(JSON.parse(request?.body ?? "") as Wire) as readonly Wire[];
    expect(headers.filter(({ name }) => /^x-|^received|^content-/i.test(String(name)))).toEqual([
      { name: "X-Order", value: "Größe 1" },
    ]);
  });

  test("cuts the header fields of a mail that has many", async () => {
    await addEvents("ses", { settings: { confirmation: "none" } });
    const own = Array.from({ length: 100 }, (_none, at) => `X-Field-${at}: ${"x".repeat(500)}\r\n`);
    const id = await api.deliver(server, { raw: `From: a@app.example\r\n${own.join("")}\r\nHello\r\n` });
    await emit(id, { type: "delivered", provider: "ses" });
    const [request] = await deliveries.requests();
    const { mail } = JSON.parse(String((JSON.parse(request?.body ?? "") as Wire)["Message"])) as {
      readonly mail: Wire;
    };
    expect(mail["headersTruncated"]).toBe(true);
    expect(JSON.stringify(mail["headers"]).length).toBeLessThan(3000);
  });

  test("works for mail that came by SMTP when the provider is named", async () => {
    await addEvents();
    const id = await api.deliver(server);
    expect((await emit(id, { type: "bounced" })).reply.json<WireError>().errors[0]?.field).toBe("provider");
    expect((await emit(id, { type: "bounced", provider: "sendgrid" })).status).toBe(201);
  });

  test("is not allowed with a key that may only read", async () => {
    await addEvents();
    const id = await api.deliver(server);
    const { key } = (await api.ask("POST /api/keys", { body: { scope: "read" } })).json<{ key: string }>();
    const reply = await api.ask(`POST /api/messages/${id}/events`, {
      key,
      body: { type: "bounced", provider: "sendgrid" },
    });
    expect(reply.statusCode).toBe(403);
  });
});

describe("simulated replies", () => {
  test("emit the events of the provider through which the mail came", async () => {
    await addEvents();
    const id = await sendBySendGrid(api, server, [`a@${server.id}.restante.test`]);
    await api.ask("POST /api/verified-addresses", {
      body: { address: "shop@app.example", operatorToken: api.context.operatorToken },
    });
    const bounce = await api.ask(`POST /api/messages/${id}/bounce`, { body: {} });
    expect(bounce.statusCode).toBe(200);
    await api.ask(`POST /api/messages/${id}/complaint`, { body: {} });
    expect((await eventsOf()).map(({ event, email }) => [event, email])).toEqual([
      ["bounce", `a@${server.id}.restante.test`],
      ["spamreport", `a@${server.id}.restante.test`],
    ]);
  });
});
