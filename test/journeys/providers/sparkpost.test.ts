/** SparkPost's Node SDK, unmodified, against the service. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import SparkPost from "sparkpost";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const server = "shop1234";
const zoe = `zoe@${server}.restante.test`;
const ada = `ada@${server}.restante.test`;
let service: Restante;
let client: SparkPost;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = new SparkPost("sp-any", { origin: `${service.url}/providers/sparkpost` });
});
afterAll(async () => service.stop());

async function ask<Answer>(line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${service.url}${path}`, { method, headers, ...sent });
  const answer = await response.text();
  expect([line, response.ok, answer]).toEqual([line, true, answer]);
  return (answer === "" ? undefined : JSON.parse(answer)) as Answer;
}

/** Returns the newest mail to an address. */
async function newest(address: string): Promise<object> {
  const [found] = await ask<readonly { readonly id: string }[]>(
    `GET /api/messages?server=${server}&q=${encodeURIComponent(`to:${address}`)}`,
  );
  return ask(`GET /api/messages/${found?.id ?? ""}`);
}

const content = { from: "Shop <app@shop.example>", subject: "Hello {{name}}", text: "Code {{code}}" };

test("sends a mail with files and copies, which is read by the API", async () => {
  const own = { substitution_data: { name: "Zoë" }, tags: ["confirm"], metadata: { order: "4711" } };
  const { results } = await client.transmissions.send({
    recipients: [{ address: { email: zoe, name: "Zoë" }, ...own }],
    cc: [{ address: { email: ada }, ...own }],
    substitution_data: { code: 482913, name: "you" },
    content: {
      ...content,
      html: "<p>Code <b>{{code}}</b></p><img src='cid:logo'>",
      reply_to: "support@shop.example",
      headers: { "X-Order": "4711" },
      attachments: [{ name: "terms.txt", type: "text/plain", data: Buffer.from("Terms").toString("base64") }],
      inline_images: [{ name: "logo", type: "image/png", data: Buffer.from([0, 255, 13, 10]).toString("base64") }],
    },
  });
  expect(results).toMatchObject({ total_accepted_recipients: 2, total_rejected_recipients: 0 });
  expect(await newest(zoe)).toMatchObject({
    subject: "Hello Zoë",
    cc: [{ email: ada }],
    html: { codes: [{ value: "482913" }] },
    attachments: [
      { fileName: "logo", contentId: "logo", contentType: "image/png", length: 4 },
      { fileName: "terms.txt", length: 5 },
    ],
    provider: { name: "sparkpost", id: results.id, tags: ["confirm"], metadata: { order: "4711" } },
  });
});

test("sends a mail of its own to each recipient, and nothing to a suppressed one", async () => {
  await client.suppressionList.upsert({ recipient: ada, type: "transactional", description: "left" });
  expect(await client.suppressionList.get(ada)).toMatchObject({ results: [{ recipient: ada, type: "transactional" }] });
  const recipients = [{ address: zoe }, { address: ada }];
  const { results } = await client.transmissions.send({ recipients, content: { ...content, subject: "Suppressed" } });
  expect(results.total_accepted_recipients).toBe(2);
  expect(await newest(zoe)).toMatchObject({ subject: "Suppressed", to: [{ email: zoe }] });
  expect(await ask(`GET /api/messages?server=${server}&q=subject:Suppressed`)).toHaveLength(1);
  await client.suppressionList.delete(ada);
});

test("sends with a template that the SDK has created and published", async () => {
  await client.templates.create({
    id: "receipt",
    name: "Receipt",
    content: {
      from: { email: "app@shop.example", name: "Shop" },
      subject: "Receipt {{number}}",
      html: "{{each items}}<p>{{loop_var.name}}</p>{{end}}{{if vip}}<b>VIP</b>{{else}}<i>{{note or 'Thanks'}}</i>{{end}}",
    },
  });
  const data = { number: 4711, items: [{ name: "Tea & milk" }] };
  expect(await client.templates.preview("receipt", { substitution_data: data })).toMatchObject({
    results: { subject: "Receipt 4711" },
  });
  await client.templates.update("receipt", { published: true });
  await client.transmissions.send({
    recipients: [{ address: zoe, substitution_data: data }],
    content: { template_id: "receipt" },
  });
  expect(await newest(zoe)).toMatchObject({
    subject: "Receipt 4711",
    html: { body: expect.stringContaining("<p>Tea &amp; milk</p><i>Thanks</i>") as string },
    provider: { template: { id: "receipt", data } },
  });
});

test("schedules a transmission, and cancels the campaign", async () => {
  const start_time = new Date(Date.now() + 86_400_000).toISOString();
  const { results } = await client.transmissions.send({
    campaign_id: "spring",
    options: { start_time },
    recipients: [{ address: zoe }],
    content,
  });
  expect(await client.transmissions.list({ campaign_id: "spring" })).toMatchObject({ results: [{ id: results.id }] });
  expect(await client.transmissions.get(results.id)).toMatchObject({ results: { transmission: { id: results.id } } });
  await client.delete({ uri: "transmissions", qs: { campaign_id: "spring" } });
  await expect(client.transmissions.get(results.id)).rejects.toMatchObject({
    statusCode: 404,
    errors: [{ message: "resource not found", code: "1600" }],
  });
});

test("throws the SDK's errors for invalid requests, and for a fault rule", async () => {
  const sending = client.transmissions.send({ recipients: [{ address: "nobody" }], content });
  await expect(sending).rejects.toMatchObject({ name: "SparkPostError", statusCode: 400, errors: [{ code: "5002" }] });
  const rule = { name: "fault", match: { stage: "request" }, then: { error: "rateLimited" } };
  await ask(`PUT /api/servers/${server}/faults`, { items: [rule] });
  const limited = client.transmissions.send({ recipients: [{ address: zoe }], content });
  await expect(limited).rejects.toMatchObject({ statusCode: 429, errors: [{ message: "Too many requests" }] });
  await ask(`PUT /api/servers/${server}/faults`, { items: [] });
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Event {
  readonly type: string;
  readonly transmission_id: string;
}

test("reports events in batches with the token of the webhook", async () => {
  const received: Received[] = [];
  const application: Server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(200).end();
    };
    void respond();
  }).listen(0, "127.0.0.1");
  await once(application, "listening");
  const url = `http://127.0.0.1:${String((application.address() as AddressInfo).port)}/hook`;
  try {
    const target = `/api/servers/${server}/event-webhooks/sparkpost`;
    const { secret } = await ask<{ secret: string }>(`PUT ${target}`, { url });
    const { results } = await client.transmissions.send({
      recipients: [{ address: zoe }],
      content,
      campaign_id: "spring",
    });
    const events = (): readonly Event[] =>
      received.flatMap(({ headers, body }) => {
        expect(headers["x-messagesystems-webhook-token"]).toBe(secret);
        expect(headers["x-messagesystems-batch-id"]).toMatch(/^[0-9a-f]{32}$/);
        const batch = JSON.parse(body) as readonly { readonly msys: Readonly<Record<string, Event>> }[];
        return batch.flatMap(({ msys }) => Object.values(msys));
      });
    await vi.waitFor(() => {
      expect(events().map(({ type }) => type)).toEqual(["injection", "delivery"]);
    });
    const shown = { transmission_id: results.id, campaign_id: "spring", rcpt_to: zoe };
    expect(events()).toMatchObject([shown, shown]);
  } finally {
    application.closeAllConnections();
    application.close();
  }
});
