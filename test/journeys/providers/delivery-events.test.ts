/** Events and inbound mail of SendGrid, Mailgun and Postmark over real sockets, to an application that verifies them. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { EventWebhook, EventWebhookHeader } from "@sendgrid/eventwebhook";
import { ServerClient } from "postmark";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const server = "shop1234";
const patience = { interval: 50 };

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let service: Restante;
let application: Server;
let origin: string;
const received: Received[] = [];

beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  application = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      received.push({ path: request.url ?? "", headers: request.headers, body: await buffer(request) });
      response.writeHead(200).end();
    };
    void respond();
  }).listen(0, "127.0.0.1");
  await once(application, "listening");
  origin = `127.0.0.1:${String((application.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  application.closeAllConnections();
  application.close();
  await service.stop();
});

async function call<Answer>(line: string, body: object | FormData): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const isForm = body instanceof FormData;
  const headers = { authorization, ...(!isForm && { "content-type": "application/json" }) };
  const response = await fetch(service.url + path, { method, headers, body: isForm ? body : JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${answer}`);
  return (answer === "" ? {} : JSON.parse(answer)) as Answer;
}

async function receivedAt(path: string, count: number): Promise<readonly Received[]> {
  return vi.waitFor(() => {
    const found = received.filter((one) => one.path === path);
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  }, patience);
}

async function messageOf(subject: string): Promise<string> {
  const [found] = await call<{ id: string }[]>(`POST /api/messages/search?server=${server}`, { subject });
  return found?.id ?? "";
}

test("SendGrid: a bounce disables the address in the application, and a forged one does not", async () => {
  const url = `http://${origin}/sendgrid`;
  const path = `/api/servers/${server}/event-webhooks/sendgrid`;
  const { publicKey } = await call<{ publicKey: string }>(`PUT ${path}`, { url });
  const webhook = new EventWebhook();
  const isSigned = ({ body, headers }: Received): boolean =>
    webhook.verifySignature(
      webhook.convertPublicKeyToECDSA(publicKey),
      body,
      String(headers[EventWebhookHeader.SIGNATURE().toLowerCase()]),
      String(headers[EventWebhookHeader.TIMESTAMP().toLowerCase()]),
    );
  const to = `zoe@${server}.restante.test`;
  await call("POST /providers/sendgrid/v3/mail/send", {
    personalizations: [{ to: [{ email: to }], custom_args: { order: "1001" } }],
    from: { email: "app@shop.example" },
    subject: "Your order",
    categories: ["receipt"],
    content: [{ type: "text/plain", value: "Thank you" }],
  });
  type Event = Readonly<Record<string, unknown>>;
  const eventsOf = (all: readonly Received[]): readonly Event[] =>
    all.filter(isSigned).flatMap(({ body }) => JSON.parse(body.toString("utf8")) as Event[]);
  await vi.waitFor(() => {
    expect(eventsOf(received.filter((one) => one.path === "/sendgrid")).map(({ event }) => event)).toEqual([
      "processed",
      "delivered",
    ]);
  }, patience);
  const id = await messageOf("Your order");
  await call(`POST /api/messages/${id}/events`, { type: "bounced", variants: ["wrong_signature"] });
  await call(`POST /api/messages/${id}/events`, { type: "bounced", reason: "550 5.1.1 No such user" });
  const disabled = await vi.waitFor(() => {
    const bounce = eventsOf(received.filter((one) => one.path === "/sendgrid")).find(({ event }) => event === "bounce");
    expect(bounce).toBeDefined();
    return bounce;
  }, patience);
  expect(disabled).toMatchObject({ email: to, order: "1001", category: ["receipt"], type: "bounce", status: "5.1.1" });
  await vi.waitFor(() => {
    expect(received.filter((one) => one.path === "/sendgrid" && !isSigned(one))).toHaveLength(1);
  }, patience);
});

test("Mailgun: every event is signed with the key, and its storage URL leads to the message", async () => {
  const url = `http://${origin}/mailgun`;
  const { secret } = await call<{ secret: string }>(`PUT /api/servers/${server}/event-webhooks/mailgun`, { url });
  const form = new FormData();
  const fields = { from: "app@shop.example", to: `zoe@${server}.restante.test`, subject: "Hello", text: "Hi" };
  for (const [name, value] of Object.entries({ ...fields, "o:tag": "greeting", "v:order": "1002" }))
    form.set(name, value);
  await call("POST /providers/mailgun/v3/shop.example/messages", form);
  interface Body {
    readonly signature: { readonly timestamp: string; readonly token: string; readonly signature: string };
    readonly "event-data": { readonly event: string; readonly storage: { readonly url: string } };
  }
  const bodies = (await receivedAt("/mailgun", 2)).map(({ body }) => JSON.parse(body.toString("utf8")) as Body);
  for (const { signature } of bodies) {
    const { timestamp, token } = signature;
    expect(
      createHmac("sha256", secret)
        .update(timestamp + token)
        .digest("hex"),
    ).toBe(signature.signature);
  }
  const events = bodies.map((one) => one["event-data"]);
  expect(events.map(({ event }) => event)).toEqual(["accepted", "delivered"]);
  for (const event of events) expect(event).toMatchObject({ tags: ["greeting"], "user-variables": { order: "1002" } });
  const authorization = `Basic ${Buffer.from(`api:${service.apiKey}`).toString("base64")}`;
  const stored = await fetch(events[0]?.storage.url ?? "", { headers: { authorization } });
  expect(await stored.json()).toMatchObject({ subject: "Hello" });
});

test("Postmark: mail to an address for test bounces causes the bounce, with the credentials of the target", async () => {
  const url = `http://${origin}/postmark`;
  const settings = { basicAuth: "hooks:s3cret" };
  await call(`PUT /api/servers/${server}/event-webhooks/postmark`, { url, settings });
  const requestHost = `${service.url.replace("http://", "")}/providers/postmark`;
  const client = new ServerClient(service.apiKey, { requestHost, useHttps: false });
  const sent = await client.sendEmail({
    From: "app@shop.example",
    To: "HardBounce@bounce-testing.postmarkapp.com",
    Subject: "Bounce",
    TextBody: "Hi",
    Tag: "welcome",
    Metadata: { order: "1003" },
  });
  const [one] = await receivedAt("/postmark", 1);
  expect(one?.headers.authorization).toBe(`Basic ${btoa("hooks:s3cret")}`);
  expect(JSON.parse(one?.body.toString("utf8") ?? "")).toMatchObject({
    RecordType: "Bounce",
    Type: "HardBounce",
    TypeCode: 1,
    MessageID: sent.MessageID,
    Tag: "welcome",
    Metadata: { order: "1003" },
  });
});

test("a message is handed over in every shape", async () => {
  const id = await messageOf("Hello");
  for (const shape of ["sendgrid", "mailgun", "postmark", "raw"]) {
    await call(`POST /api/messages/${id}/inbound`, { shape, url: `http://${origin}/${shape}-inbound` });
  }
  const types = await Promise.all(
    ["sendgrid", "mailgun", "postmark", "raw"].map(async (shape) => {
      const [one] = await receivedAt(`/${shape}-inbound`, 1);
      return one?.headers["content-type"]?.replace(/;.*$/, "");
    }),
  );
  expect(types).toEqual([
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/json",
    "message/rfc822",
  ]);
});
