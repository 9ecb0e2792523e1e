/** SMS in both directions over real sockets, with the unmodified Twilio library. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { text as readBody } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import twilio from "twilio";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import { parsePhoneNumber } from "../../src/core/phone-number.ts";
import type { ServerId } from "../../src/core/ids.ts";
import type { Message } from "../../src/core/message.ts";
import { storeChoices } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "text1234" as ServerId;
const number = "+15550100";

interface Received {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly signature: string;
}

let dataDir: string;
let service: RunningService;
let app: { readonly url: string; readonly received: Received[]; answer: number; close: () => Promise<void> };

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-texts-"));
  app = await openApp();
  const owned = parsePhoneNumber("+15550177");
  service = await startService(
    configFrom({
      ...(await storeChoices(dataDir)),
      dataDir,
      apiKey: key,
      httpPort: 0,
      httpsPort: null,
      smtpPort: 0,
      log: "silent",
      providerKeys: "known",
      servers: [{ id: server, name: "Texts" }],
      numbers: owned === undefined ? [] : [{ number: owned, server }],
      outboxRetryMs: 20,
    }),
    { durable: false },
  );
  await ask("POST /api/phone-numbers", {
    number,
    server,
    provider: "twilio",
    secret: "auth",
    webhook: `${app.url}/in`,
  });
});
afterEach(async () => {
  await service.stop();
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Application under test: records the requests to its webhooks. */
async function openApp(): Promise<typeof app> {
  const received: Received[] = [];
  const state = { received, answer: 204, url: "", close: async () => undefined as void };
  const http = createServer((request: IncomingMessage, response) => {
    const note = async (): Promise<void> => {
      const body = await readBody(request);
      const form = Object.fromEntries(new URLSearchParams(body));
      received.push({ path: request.url ?? "", form, signature: String(request.headers["x-twilio-signature"]) });
      response.writeHead(state.answer, state.answer === 302 ? { location: "http://127.0.0.1:1/" } : {}).end();
    };
    void note();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  state.url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  state.close = async () => {
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  };
  return state;
}

async function ask<Answer>(line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await fetch(service.url + path, { method, headers, ...content })).json()) as Answer;
}

async function deliveryOf(id: string, isWanted: (message: Message) => boolean): Promise<Message["delivery"]> {
  return vi.waitFor(async () => {
    const message = await ask<Message>(`GET /api/messages/${id}`);
    if (!isWanted(message)) throw new Error(`still ${JSON.stringify(message.delivery)}`);
    return message.delivery;
  });
}

function openTwilio(): ReturnType<typeof twilio> {
  const client = twilio(`AC${"0".repeat(32)}`, key);
  client.api.baseUrl = service.url;
  return client;
}

test("the unmodified Twilio library sends an SMS, receives status callbacks, and fetches it", async () => {
  const statusCallback = `${app.url}/status`;
  const sent = await openTwilio().messages.create({
    from: "MyApp",
    to: number,
    body: "Your code is 482913",
    statusCallback,
  });
  expect(sent).toMatchObject({ status: "queued", to: number, from: "MyApp", numSegments: "1", errorCode: null });
  const [found] = await ask<Message[]>(`POST /api/messages/search?server=${server}`, { sentTo: number });
  const message = await ask<Message>(`GET /api/messages/${found?.id ?? ""}`);
  expect(message).toMatchObject({ type: "SMS", text: { codes: [{ value: "482913" }] } });
  await expect.poll(() => app.received.length).toBeGreaterThanOrEqual(3);
  expect(app.received.map(({ form }) => [form["MessageSid"], form["MessageStatus"]])).toEqual([
    [sent.sid, "queued"],
    [sent.sid, "sent"],
    [sent.sid, "delivered"],
  ]);
  for (const { form, signature } of app.received) {
    expect(twilio.validateRequest(key, signature, statusCallback, form)).toBe(true);
  }
  expect(await openTwilio().messages(sent.sid).fetch()).toMatchObject({ sid: sent.sid, body: "Your code is 482913" });
});

test("the Twilio library lists sent messages newest first, by number and by day, in pages", async () => {
  const client = openTwilio();
  const sids = new Map<string, string>();
  for (const [body, to] of [
    ["one", number],
    ["two", number],
    ["three", "+15550177"],
    ["four", "+15550999"],
  ] as const) {
    sids.set(body, (await client.messages.create({ from: "MyApp", to, body })).sid);
  }
  const bodies = async (filter: Parameters<typeof client.messages.list>[0]): Promise<readonly string[]> =>
    (await client.messages.list(filter)).map(({ body }) => body);
  expect(await bodies({ to: number })).toEqual(["two", "one"]);
  expect(await bodies({ to: number, from: "Other" })).toEqual([]);
  expect(await bodies({ limit: 20 })).toEqual(["four", "three", "two", "one"]);
  expect(await bodies({ pageSize: 1, limit: 3 })).toEqual(["four", "three", "two"]);
  expect(await bodies({ dateSent: new Date() })).toHaveLength(4);
  expect(await bodies({ dateSentAfter: new Date(Date.now() + 86_400_000) })).toEqual([]);
  expect(await bodies({ dateSentBefore: new Date(Date.now() - 86_400_000) })).toEqual([]);
  const [newest] = await client.messages.list({ limit: 1 });
  expect(newest).toMatchObject({
    sid: sids.get("four"),
    status: "delivered",
    direction: "outbound-api",
    numSegments: "1",
  });
});

test.each<[string, object, number]>([
  ["an invalid recipient number", { to: "nonsense", from: "MyApp", body: "x" }, 21211],
  ["Twilio's magic invalid number", { to: "+15005550001", from: "MyApp", body: "x" }, 21211],
  ["Twilio's magic unfit sender", { to: number, from: "+15005550007", body: "x" }, 21606],
  ["Twilio's magic unsubscribed number", { to: "+15005550004", from: "MyApp", body: "x" }, 21610],
  ["no body", { to: number, from: "MyApp" }, 21602],
  ["a body that is too long", { to: number, from: "MyApp", body: "x".repeat(1601) }, 21617],
  [
    "a callback URL that is not allowed",
    { to: number, from: "A", body: "x", statusCallback: "http://169.254.169.254/" },
    21609,
  ],
])("the Twilio library sees %s as Twilio's error", async (_name, request, code) => {
  const sending = openTwilio().messages.create(request as { to: string; from: string; body: string });
  await expect(sending).rejects.toMatchObject({ code, status: 400 });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual([]);
});

test("answers a wrong token with Twilio's error 20003", async () => {
  const client = twilio(`AC${"0".repeat(32)}`, "wrong");
  client.api.baseUrl = service.url;
  const sending = client.messages.create({ to: number, from: "MyApp", body: "x" });
  await expect(sending).rejects.toMatchObject({ code: 20003, status: 401 });
});

test("delivers a reply to the application's webhook with Twilio's signature; STOP opts out and START opts in", async () => {
  const client = openTwilio();
  const request = { from: "+15550150", to: number, body: "Reply STOP to end" };
  await client.messages.create(request);
  const reply = async (text: string): Promise<Message> => {
    const [latest] = await ask<Message[]>(`GET /api/messages?server=${server}`);
    return ask<Message>(`POST /api/messages/${latest?.id ?? ""}/reply`, { text });
  };
  const stop = await reply("STOP");
  expect(await deliveryOf(stop.id, ({ delivery }) => delivery?.status === "Sent")).toMatchObject({ attempts: 1 });
  expect(app.received).toMatchObject([{ path: "/in", form: { From: number, To: "+15550150", Body: "STOP" } }]);
  const [{ form, signature }] = app.received as [Received];
  expect(twilio.validateRequest("auth", signature, `${app.url}/in`, form)).toBe(true);
  await expect(client.messages.create(request)).rejects.toMatchObject({ code: 21610 });
  await reply("START");
  expect((await client.messages.create(request)).status).toBe("queued");
});

test.each([
  [503, "Queued"],
  [429, "Queued"],
  [404, "Failed"],
  [302, "Failed"],
] as const)("a webhook that answers %i leaves the reply %s", async (status, expected) => {
  app.answer = status;
  await openTwilio().messages.create({ from: "+15550150", to: number, body: "Hello" });
  const [latest] = await ask<Message[]>(`GET /api/messages?server=${server}`);
  const sent = await ask<Message>(`POST /api/messages/${latest?.id ?? ""}/reply`, { text: "YES" });
  const delivery = await deliveryOf(sent.id, (message) => (message.delivery?.lastError ?? null) !== null);
  expect(delivery).toMatchObject({
    status: expected,
    lastError: `The webhook responded with status ${String(status)}`,
  });
  app.answer = 204;
  if (expected === "Failed") return;
  expect(await deliveryOf(sent.id, (message) => message.delivery?.status === "Sent")).toMatchObject({ status: "Sent" });
});

test("assigns configured phone numbers to their servers", async () => {
  const text = await ask<Message>("POST /api/sms", { from: "MyApp", to: "+15550177", text: "x" });
  expect(text.server).toBe(server);
});
