/** The libraries of Azure Communication Services and Event Grid for Node, unmodified, against the service. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { EmailClient, type EmailMessage } from "@azure/communication-email";
import { SmsClient } from "@azure/communication-sms";
import { EventGridDeserializer, isSystemEvent } from "@azure/eventgrid";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const server = "shop1234";
/** Any key in base64: it signs requests, and is not sent. */
const accessKey = Buffer.from("any key").toString("base64");
let service: Restante;
const options = { allowInsecureConnection: true };
let connection: string;
let email: EmailClient;
let sms: SmsClient;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  connection = `endpoint=${service.url}/;accesskey=${accessKey}`;
  email = new EmailClient(connection, options);
  sms = new SmsClient(connection, options);
});
afterAll(async () => service.stop());

async function ask(path: string, value?: unknown, method = "POST"): Promise<unknown> {
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const body = value === undefined ? {} : { method, body: JSON.stringify(value) };
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(`${service.url}${path}`, { headers, ...body });
  return response.status === 204 ? null : response.json();
}

const address = `zoe@${server}.restante.test`;
const mail: EmailMessage = {
  senderAddress: "app@shop.example",
  recipients: { to: [{ address, displayName: "Zoë" }] },
  content: { subject: "Hello", plainText: "Your code is 482913" },
};

test("sends a mail, polls its operation, and reads it by the API", async () => {
  const poller = await email.beginSend({
    ...mail,
    content: { subject: "Hello", html: "<p>Code <b>482913</b></p><img src='cid:logo'>" },
    recipients: { ...mail.recipients, bcc: [{ address: `audit@${server}.restante.test` }] },
    replyTo: [{ address: "support@shop.example", displayName: "Support" }],
    headers: { "X-Order": "4711" },
    disableUserEngagementTracking: true,
    attachments: [
      { name: "logo.png", contentType: "image/png", contentInBase64: "AP8NCg==", contentId: "logo" },
      { name: "a.txt", contentType: "text/plain", contentInBase64: "YQ==" },
    ],
  });
  const { id, status, error } = await poller.pollUntilDone();
  expect([status, error ?? null]).toEqual(["Succeeded", null]);
  expect(await ask(`/api/messages/${id}`)).toMatchObject({
    subject: "Hello",
    to: [{ name: "Zoë", email: address }],
    bcc: [{ email: `audit@${server}.restante.test` }],
    html: { codes: [{ value: "482913" }] },
    attachments: [
      { fileName: "logo.png", contentId: "logo", contentType: "image/png", length: 4 },
      { fileName: "a.txt", contentType: "text/plain", length: 1 },
    ],
    provider: { name: "acs", id, metadata: { userEngagementTrackingDisabled: "true" } },
  });
});

test("sends once for an operation id, by which the operation is polled", async () => {
  const operationId = crypto.randomUUID();
  const pollers = [await email.beginSend(mail, { operationId }), await email.beginSend(mail, { operationId })];
  for (const poller of pollers) expect((await poller.pollUntilDone()).id).toBe(operationId);
  const found = (await ask(`/api/messages?server=${server}`)) as readonly { readonly id: string }[];
  const details = (await Promise.all(found.map(async ({ id }) => ask(`/api/messages/${id}`)))) as readonly {
    readonly provider?: { readonly metadata: Readonly<Record<string, string>> };
  }[];
  expect(details.filter(({ provider }) => provider?.metadata["Operation-Id"] === operationId)).toHaveLength(1);
});

test("returns the errors of the libraries", async () => {
  const recipients = { to: [{ address: "nobody" }] };
  await expect(email.beginSend({ ...mail, recipients })).rejects.toMatchObject({
    name: "RestError",
    statusCode: 400,
    code: "InvalidEmailAddress",
    details: { error: { code: "InvalidEmailAddress", target: "to" }, xMsErrorCode: "InvalidEmailAddress" },
  });
  const foreign = new EmailClient(connection, {
    ...options,
    additionalPolicies: [
      {
        position: "perRetry",
        policy: {
          name: "none",
          sendRequest: async (request, next) => {
            request.headers.delete("authorization");
            return next(request);
          },
        },
      },
    ],
  });
  await expect(foreign.beginSend(mail)).rejects.toMatchObject({ statusCode: 401, code: "Denied" });
});

test("returns the error and the pause of a fault rule", async () => {
  const items = [{ name: "limit", match: { stage: "request" }, then: { error: "rateLimited" } }];
  await ask(`/api/servers/${server}/faults`, { items }, "PUT");
  const once = new EmailClient(connection, { ...options, retryOptions: { maxRetries: 0 } });
  const error: unknown = await once.beginSend(mail).catch((reason: unknown) => reason);
  await ask(`/api/servers/${server}/faults`, { items: [] }, "PUT");
  expect(error).toMatchObject({ statusCode: 429, code: "TooManyRequests" });
  const { response } = error as { readonly response: { readonly headers: { get(name: string): string | undefined } } };
  expect(response.headers.get("retry-after")).toBe("1");
  expect((await email.beginSend(mail)).isDone()).toBe(true);
});

test("sends an SMS to each recipient, with the result of each", async () => {
  const results = await sms.send(
    { from: "+15550100", to: ["+15550123", "nobody"], message: "Your code is 482913" },
    { enableDeliveryReport: true, tag: "campaign" },
  );
  expect(results).toMatchObject([
    { to: "+15550123", httpStatusCode: expect.any(Number) as number },
    { to: "nobody", httpStatusCode: 400, successful: false, errorMessage: "Invalid To phone number format." },
  ]);
});

/** Entra token, which the libraries send by HTTPS only. */
const credentialOf = (token: string) => ({
  getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }),
});

async function createKey(): Promise<string> {
  const { key } = (await ask("/api/keys", { name: "acs", server, scope: "full" })) as { readonly key: string };
  return key;
}

const trust = () => ({ tlsOptions: { ca: readFileSync(service.caFile ?? "", "utf8") } });

test("takes the API key as an Entra token, whose server receives all mail", async () => {
  const client = new EmailClient(service.httpsUrl, credentialOf(await createKey()), trust());
  const recipients = { to: [{ address: "ada@elsewhere.example" }] };
  const poller = await client.beginSend({ ...mail, recipients });
  const { id, status } = await poller.pollUntilDone();
  expect([status, await ask(`/api/messages/${id}`)]).toMatchObject(["Succeeded", { server }]);
});

interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe("Event Grid", () => {
  const path = `/api/servers/${server}/event-webhooks/acs`;
  const received: Received[] = [];
  const events = new EventGridDeserializer();
  let application: Server;
  let url: string;
  let answer: (received: Received) => object;

  beforeAll(async () => {
    application = createServer((request, response) => {
      const respond = async (): Promise<void> => {
        const { method = "", headers } = request;
        const one = { method, headers, body: await text(request) };
        if (method === "OPTIONS") response.setHeader("WebHook-Allowed-Origin", headers["webhook-request-origin"] ?? "");
        response.end(JSON.stringify(answer(one)));
        received.push(one);
      };
      void respond();
    }).listen(0, "127.0.0.1");
    await once(application, "listening");
    url = `http://127.0.0.1:${String((application.address() as AddressInfo).port)}/hook`;
  });
  afterAll(() => {
    application.closeAllConnections();
    application.close();
  });
  beforeEach(async () => {
    received.length = 0;
    answer = () => ({});
    return async () => ask(path, null, "DELETE");
  });

  const subscribe = async (settings: object = {}): Promise<{ readonly secret: string }> =>
    (await ask(path, { url, settings }, "PUT")) as { readonly secret: string };
  const requestsOf = async (count: number): Promise<readonly Received[]> =>
    vi.waitFor(() => {
      expect(received.length).toBeGreaterThanOrEqual(count);
      return received;
    });
  const state = async (): Promise<unknown> => ask(path);
  const send = async (): Promise<string> => (await (await email.beginSend(mail)).pollUntilDone()).id;

  test("delivers reports to a webhook that echoes the validation code", async () => {
    answer = ({ headers, body }) => {
      if (headers["aeg-event-type"] !== "SubscriptionValidation") return {};
      const [event] = JSON.parse(body) as readonly { readonly data: { readonly validationCode: string } }[];
      return { validationResponse: event?.data.validationCode };
    };
    const { secret } = await subscribe();
    await vi.waitFor(async () => expect(await state()).toMatchObject({ state: "active", confirmed: true }));
    const id = await send();
    await ask(`/api/messages/${id}/events`, { type: "clicked", url: "https://shop.example/a" });
    const [handshake, ...reports] = await requestsOf(3);
    expect(handshake?.headers).toMatchObject({ "aeg-event-type": "SubscriptionValidation" });
    const read = await Promise.all(reports.map(async ({ body }) => events.deserializeEventGridEvents(body)));
    const [delivered, clicked] = read.flat();
    if (delivered === undefined || !isSystemEvent("Microsoft.Communication.EmailDeliveryReportReceived", delivered)) {
      throw new Error("no delivery report");
    }
    expect(delivered.data).toMatchObject({ messageId: id, recipient: address, status: "Delivered" });
    expect(clicked).toMatchObject({
      eventType: "Microsoft.Communication.EmailEngagementTrackingReportReceived",
      data: { messageId: id, engagementType: "click", engagementContext: "https://shop.example/a" },
    });
    const [name = "", value] = secret.split(": ");
    expect(reports.map(({ headers }) => headers[name.toLowerCase()])).toEqual([value, value]);
  });

  test("reports on an SMS where the application asks for it, and hands over the answer", async () => {
    const client = new SmsClient(service.httpsUrl, credentialOf(await createKey()), trust());
    await subscribe({ validation: "none" });
    const texts = { from: "+15550100", to: ["+15550123"], message: "Your code is 482913" };
    await client.send(texts);
    const [sent] = await client.send(texts, { enableDeliveryReport: true, tag: "campaign" });
    const id = sent?.messageId?.slice(-36) ?? "";
    await ask(`/api/messages/${id}/reply`, { text: "STOP" });
    const requests = await requestsOf(2);
    const read = (await Promise.all(requests.map(async ({ body }) => events.deserializeEventGridEvents(body)))).flat();
    const report = read.find((one) => isSystemEvent("Microsoft.Communication.SMSDeliveryReportReceived", one));
    expect(report?.data).toMatchObject({ messageId: sent?.messageId, deliveryStatus: "Delivered", tag: "campaign" });
    const answered = read.find((one) => isSystemEvent("Microsoft.Communication.SMSReceived", one));
    expect(answered?.data).toMatchObject({ from: "15550123", to: "15550100", message: "STOP" });
    expect(read).toHaveLength(2);
  });

  test("delivers CloudEvents to a webhook that allows the origin", async () => {
    await subscribe({ schema: "CloudEventSchemaV1_0" });
    await vi.waitFor(async () => expect(await state()).toMatchObject({ state: "active", confirmed: true }));
    const id = await send();
    const [handshake, report] = await requestsOf(2);
    expect([handshake?.method, handshake?.body]).toEqual(["OPTIONS", ""]);
    expect(report?.headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    const [event] = await events.deserializeCloudEvents(report?.body ?? "");
    expect(event).toMatchObject({
      type: "Microsoft.Communication.EmailDeliveryReportReceived",
      data: { messageId: id },
    });
  });

  test("holds reports until somebody opens the URL of the handshake", async () => {
    await subscribe();
    const [handshake] = await requestsOf(1);
    expect(await state()).toMatchObject({ state: "paused", confirmed: false });
    const id = await send();
    const [event] = await events.deserializeEventGridEvents(handshake?.body ?? "");
    const { validationUrl } = (event?.data ?? {}) as { readonly validationUrl?: string };
    expect((await fetch(validationUrl ?? "")).status).toBe(200);
    const [, report] = await requestsOf(2);
    const [delivered] = await events.deserializeEventGridEvents(report?.body ?? "");
    expect(delivered?.data).toMatchObject({ messageId: id });
  });
});
