/** Events of providers from a mail through the provider's API to an application that verifies them. */
import { execFile } from "node:child_process";
import { createVerify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Resend } from "resend";
import { Webhook } from "svix";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const server = "shop1234";
const patience = { interval: 50 };

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let service: Restante;
let application: Server;
let origin: string;
const received: Received[] = [];

beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  application = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      received.push({ path: request.url ?? "", headers: request.headers, body: await text(request) });
      response.writeHead(200).end();
    };
    void respond();
  }).listen(0, "127.0.0.1");
  await once(application, "listening");
  origin = `http://127.0.0.1:${String((application.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  application.closeAllConnections();
  application.close();
  await service.stop();
});

async function call<Answer>(line: string, body: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${answer}`);
  return JSON.parse(answer) as Answer;
}

async function receivedAt(path: string, count: number): Promise<readonly Received[]> {
  return vi.waitFor(() => {
    const found = received.filter((one) => one.path === path);
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  }, patience);
}

test("a mail through Resend is reported as sent and delivered, and a bounce when a test asks for it", async () => {
  const url = `${origin}/resend`;
  const { secret } = await call<{ secret: string }>(`PUT /api/servers/${server}/event-webhooks/resend`, { url });
  const client = new Resend("re_any", { baseUrl: `${service.url}/providers/resend` });
  const to = `zoe@${server}.restante.test`;
  const { data } = await client.emails.send({ from: "a@shop.example", to, subject: "Hello", text: "Hi" });
  await receivedAt("/resend", 2);
  await call(`POST /api/messages/${data?.id ?? ""}/events`, { type: "bounced", reason: "550 5.1.1 No such user" });
  const events = (await receivedAt("/resend", 3)).map(({ headers, body }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return JSON.parse(body) as { readonly type: string };
  });
  expect(events.map(({ type }) => type)).toEqual(["email.sent", "email.delivered", "email.bounced"]);
  for (const event of events) expect(event).toMatchObject({ data: { email_id: data?.id, to: [to] } });
});

interface SnsMessage extends Readonly<Record<string, string>> {
  readonly Type: string;
  readonly Message: string;
  readonly SigningCertURL: string;
}

/** Verifies a message of Amazon SNS as its documentation says, with the certificate that the message names. */
async function verifiedMessage({ body }: Received): Promise<SnsMessage> {
  const message = JSON.parse(body) as SnsMessage;
  const names = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const signed = names.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]));
  const certificate = await (await fetch(message.SigningCertURL)).text();
  const digest = message["SignatureVersion"] === "2" ? "RSA-SHA256" : "RSA-SHA1";
  const verifier = createVerify(digest).update(signed.join(""));
  expect(verifier.verify(certificate, message["Signature"] ?? "", "base64")).toBe(true);
  return message;
}

test("events of Amazon SES wait for the confirmation of the endpoint, and then arrive signed", async () => {
  const settings = { signatureVersion: "2", topicArn: "arn:aws:sns:eu-west-1:000000000000:mail" };
  await call(`PUT /api/servers/${server}/event-webhooks/ses`, { url: `${origin}/ses`, settings });
  const [first] = await receivedAt("/ses", 1);
  const confirmation = await verifiedMessage(first as Received);
  expect(confirmation.Type).toBe("SubscriptionConfirmation");
  const body = JSON.stringify({
    FromEmailAddress: "a@shop.example",
    Destination: { ToAddresses: [`zoe@${server}.restante.test`] },
    Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "Hi" } } } },
  });
  const credential = "AKIAANYKEY/20261120/eu-west-1/ses/aws4_request";
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=00`;
  const sent = await fetch(`${service.url}/providers/ses/v2/email/outbound-emails`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body,
  });
  const { MessageId: messageId } = (await sent.json()) as { readonly MessageId: string };
  expect((await fetch(confirmation["SubscribeURL"] ?? "")).status).toBe(200);
  const messages = await Promise.all((await receivedAt("/ses", 3)).slice(1).map(verifiedMessage));
  const records = messages.map(({ Message: record }) => JSON.parse(record) as { readonly eventType: string });
  expect(records.map(({ eventType }) => eventType)).toEqual(["Send", "Delivery"]);
  for (const record of records) expect(record).toMatchObject({ mail: { messageId } });
});

test("a receiver that accepts only certificates from AWS validates and confirms by redirected requests", async () => {
  const settings = { endpoint: "https://sns.us-east-1.amazonaws.com" };
  await call(`PUT /api/servers/${server}/event-webhooks/ses`, { url: `${origin}/aws`, settings });
  const [first] = await receivedAt("/aws", 1);
  const program = `
    const MessageValidator = require("sns-validator");
    const body = process.env.BODY;
    const validate = (text) => new Promise((resolve) => {
      new MessageValidator().validate(text, (error) => resolve(error === null ? "valid" : error.message));
    });
    (async () => {
      console.log(await validate(body));
      console.log(await validate(body.replace("Subscription to the topic", "Another text")));
      console.log((await fetch(JSON.parse(body).SubscribeURL)).status);
      // Connections that are kept for further requests would delay the end by a minute.
      process.exit();
    })();`;
  const redirect = pathToFileURL(join(root, "src", "testing", "redirect.ts")).href;
  const { stdout } = await promisify(execFile)(process.execPath, [`--import=${redirect}`, "--eval", program], {
    cwd: root,
    env: {
      ...process.env,
      BODY: first?.body ?? "",
      RESTANTE_REDIRECT_URL: service.url,
      RESTANTE_REDIRECT_PROVIDERS: "sns.*.amazonaws.com=sns",
    },
  });
  expect(stdout).toBe("valid\nThe message signature is invalid.\n200\n");
});
