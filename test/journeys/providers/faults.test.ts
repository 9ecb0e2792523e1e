/** Fault rules at the APIs of providers over real sockets, with unmodified SDKs. */
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import sendgrid from "@sendgrid/mail";
import nodemailer from "nodemailer";
import { Errors, ServerClient } from "postmark";
import { Resend } from "resend";
import twilio from "twilio";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "AKIAKEYFORJOURNEYS";
const server = "fail1234" as ServerId;
const other = "calm1234" as ServerId;
const to = `ada@${server}.restante.test`;
const from = "app@shop.example";

let stop: SilentService["stop"];
let service: RunningService;

beforeAll(async () => {
  const servers = [server, other].map((id) => ({ id, name: id }));
  ({ service, stop } = await startSilently({ apiKey: key, servers }));
});
afterAll(async () => {
  await stop();
});
beforeEach(async () => {
  await ask(`DELETE /api/messages?server=${server}`);
});

async function ask<Answer>(line: string, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(service.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([line, response.ok, text]).toEqual([line, true, text]);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

interface RuleView {
  readonly seen: number;
  readonly hits: number;
}

async function setRule(rule: object, match: object = {}): Promise<void> {
  const whole = { name: "fault", match: { stage: "request", ...match }, ...rule };
  await ask(`PUT /api/servers/${server}/faults`, { items: [whole] });
}

const fail = async (error: unknown): Promise<void> => setRule({ then: { error } });
async function counts(): Promise<RuleView> {
  const items = await ask<RuleView[]>(`GET /api/servers/${server}/faults`);
  const { seen = 0, hits = 0 } = items[0] ?? {};
  return { seen, hits };
}
const stored = async (): Promise<readonly Message[]> => ask<Message[]>(`GET /api/messages?server=${server}`);

const openResend = (): Resend => new Resend(key, { baseUrl: `${service.url}/providers/resend` });
function openSes(maxAttempts: number): SESv2Client {
  const credentials = { accessKeyId: key, secretAccessKey: "not-checked" };
  const endpoint = `${service.url}/providers/ses`;
  return new SESv2Client({ maxAttempts, region: "eu-west-1", endpoint, credentials });
}
const mail = { from, to, subject: "Hello", text: "Hi" };

test("Resend reports errors by name, with the header fields of the rate limit", async () => {
  await fail("rateLimited");
  const { error, headers } = await openResend().emails.send(mail);
  expect(error).toMatchObject({ statusCode: 429, name: "rate_limit_exceeded" });
  expect(headers).toMatchObject({ "retry-after": "1", "ratelimit-remaining": "0" });
  await fail("invalidRecipient");
  expect((await openResend().emails.send(mail)).error).toMatchObject({ statusCode: 422, name: "validation_error" });
  expect(await stored()).toEqual([]);
  expect(await counts()).toEqual({ seen: 1, hits: 1 });
});

test("the rules of one server do not affect mail to another, nor to other recipients than they match", async () => {
  await setRule({ then: { error: "internal" } }, { recipient: to, provider: "resend" });
  for (const recipient of [`bob@${other}.restante.test`, `bob@${server}.restante.test`]) {
    expect((await openResend().emails.send({ ...mail, to: recipient })).error).toBeNull();
  }
  const batch = [mail, { ...mail, to: `bob@${other}.restante.test` }];
  expect((await openResend().batch.send(batch)).error).toBeNull();
  expect((await openResend().batch.send([mail, mail])).error).toMatchObject({ statusCode: 500 });
  expect(await stored()).toHaveLength(2);
});

test("Postmark, Twilio and SendGrid throw their typed errors", async () => {
  const requestHost = `${new URL(service.url).host}/providers/postmark`;
  const postmark = new ServerClient(key, { requestHost, useHttps: false });
  const message = { From: from, To: to, Subject: "Hello", TextBody: "Hi" };
  await fail("rateLimited");
  await expect(postmark.sendEmail(message)).rejects.toBeInstanceOf(Errors.RateLimitExceededError);
  await fail("unavailable");
  await expect(postmark.sendEmail(message)).rejects.toMatchObject({ statusCode: 503, code: 100 });
  await fail("unauthorized");
  await expect(postmark.sendEmail(message)).rejects.toBeInstanceOf(Errors.InvalidAPIKeyError);

  await setRule({ then: { error: "rateLimited" } }, { recipient: "+447700900123" });
  const sms = { from: "+15550100", to: "+447700900123", body: "Hi" };
  const restricted = await ask<{ key: string }>("POST /api/keys", { name: "sms", server });
  const client = twilio(`AC${"0".repeat(32)}`, restricted.key);
  client.api.baseUrl = service.url;
  await expect(client.messages.create(sms)).rejects.toMatchObject({ status: 429, code: 20429 });

  sendgrid.setApiKey(key);
  const sgClient = (sendgrid as unknown as { client: { setDefaultRequest(name: string, value: string): void } }).client;
  sgClient.setDefaultRequest("baseUrl", `${service.url}/providers/sendgrid`);
  await fail("unavailable");
  await expect(sendgrid.send(mail)).rejects.toMatchObject({
    code: 503,
    response: { body: { errors: [{ message: "service unavailable" }] } },
  });
  expect(await stored()).toEqual([]);
});

test("the AWS SDK repeats a request that was throttled, and nodemailer reports its last error", async () => {
  await setRule({ when: { first: 1 }, then: { error: "rateLimited" } });
  const patient = openSes(3);
  const impatient = openSes(1);
  const transportOf = (sesClient: SESv2Client) => nodemailer.createTransport({ SES: { sesClient, SendEmailCommand } });
  await transportOf(patient).sendMail(mail);
  expect(await counts()).toEqual({ seen: 2, hits: 1 });
  await fail("rateLimited");
  await expect(transportOf(impatient).sendMail(mail)).rejects.toMatchObject({ name: "TooManyRequestsException" });
  expect(await stored()).toHaveLength(1);
  patient.destroy();
  impatient.destroy();
});

test("a lost reply stores the mail, so that a client that repeats it sends two, unless it has an idempotency key", async () => {
  await setRule({ when: { first: 1 }, then: { loseReply: true } });
  expect((await openResend().emails.send(mail)).error).not.toBeNull();
  expect((await openResend().emails.send(mail)).error).toBeNull();
  expect(await stored()).toHaveLength(2);
  await setRule({ when: { first: 1 }, then: { loseReply: true } });
  const options = { idempotencyKey: "order-1" };
  expect((await openResend().emails.send(mail, options)).error).not.toBeNull();
  expect((await openResend().emails.send(mail, options)).data?.id).toBeTruthy();
  expect(await stored()).toHaveLength(3);
});

test("a dropped connection stores nothing", async () => {
  await setRule({ then: { drop: true } });
  await expect(
    fetch(`${service.url}/providers/resend/emails`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(mail),
    }),
  ).rejects.toThrow(TypeError);
  expect(await stored()).toEqual([]);
});

test("delays and throttles the response, and lists the faults with the message", async () => {
  await setRule({ then: { delayMs: 30, throttle: 1000 } });
  const { data } = await openResend().emails.send(mail);
  const message = await ask<Message>(`GET /api/messages/${data?.id ?? ""}`);
  expect(message.metadata.faults).toEqual([{ rule: "fault", stage: "request", action: "throttle" }]);
  const { entries } = await ask<{ entries: { text: string }[] }>(`GET /api/messages/${data?.id ?? ""}/transcript`);
  const lines = entries.map(({ text }) => text);
  expect(lines).toEqual(
    expect.arrayContaining([
      "POST /providers/resend/emails HTTP/1.1",
      "authorization: [masked]",
      expect.stringContaining('"subject":'),
      "[fault at request: throttle]",
      "HTTP/1.1 200 OK",
    ]),
  );
  expect(lines.join()).not.toContain(key);
});

test("delivers later, and says when the mail was accepted", async () => {
  await setRule({ then: { deliverAfterMs: 50 } });
  const { data, error } = await openResend().emails.send(mail);
  expect(error).toBeNull();
  await expect.poll(async () => (await stored()).length).toBe(1);
  const [summary] = await ask<Message[]>(`GET /api/messages?server=${server}&providerId=${data?.id ?? ""}`);
  const message = await ask<Message>(`GET /api/messages/${summary?.id ?? ""}`);
  expect(Date.parse(message.received) - Date.parse(message.metadata.accepted ?? "")).toBeGreaterThanOrEqual(50);
  expect(message.metadata.faults).toMatchObject([{ action: "deliver-later" }]);
});

test("apply to calls that send nothing, with a key of the server, before anything is changed", async () => {
  const { key: own } = await ask<{ key: string }>("POST /api/keys", { name: "own", server });
  const call = async (method: string, body?: object): Promise<Response> =>
    fetch(`${service.url}/providers/postmark/templates${method === "GET" ? "?count=10&offset=0" : ""}`, {
      method,
      headers: { "x-postmark-server-token": own, "content-type": "application/json", accept: "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  await setRule({ when: { first: 2 }, then: { error: "unavailable" } });
  const created = await call("POST", { Name: "Hello", Subject: "Hello", TextBody: "Hello" });
  expect([created.status, await created.json()]).toMatchObject([503, { ErrorCode: 100 }]);
  expect((await call("GET")).status).toBe(503);
  expect(await (await call("GET")).json()).toMatchObject({ TotalCount: 0 });
  expect(await counts()).toEqual({ seen: 3, hits: 2 });
});
