/** SparkPost's Node SDK, unmodified, against the service. */
import SparkPost from "sparkpost";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { startApplication, type Notified } from "./notified-application.ts";

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

interface Batched {
  readonly msys: Readonly<Record<string, object>>;
}

/** Returns the events in a request, whose credentials are compared. */
function eventsIn({ headers, body }: Notified): readonly object[] {
  expect(headers).toMatchObject({ "x-messagesystems-webhook-token": "token", "x-shop": "spring" });
  expect(headers["x-messagesystems-batch-id"]).toMatch(/^[0-9a-f]{32}$/);
  return (JSON.parse(body) as readonly Batched[]).flatMap(({ msys }) => Object.values(msys));
}

test("registers a webhook, which gets events in batches with its credentials", async () => {
  await using application = await startApplication();
  const target = `${application.origin}/hook`;
  const credentials = { auth_token: "token", custom_headers: { "X-Shop": "spring" } };
  const { id } = (await client.webhooks.create({ name: "Delivery", target, events: ["injection"], ...credentials }))
    .results;
  await client.webhooks.update(id, { events: ["delivery", "open"] });
  expect(await client.webhooks.get(id)).toMatchObject({ results: { id, name: "Delivery", target, active: true } });
  const { results } = await client.transmissions.send({
    recipients: [{ address: zoe }],
    content,
    campaign_id: "spring",
  });
  await application.receivedAt("/hook", 1, eventsIn);
  const mail = await ask<{ readonly id: string }>(`GET /api/messages/${results.id}`);
  await ask(`POST /api/messages/${mail.id}/events`, { types: ["opened", "clicked"] });
  const events = await application.receivedAt("/hook", 2, eventsIn);
  const shown = { transmission_id: results.id, campaign_id: "spring", rcpt_to: zoe };
  expect(events).toMatchObject([
    { type: "delivery", ...shown },
    { type: "open", ...shown },
  ]);
  const message = { msys: {} } as unknown as string;
  expect(await client.webhooks.validate(id, { message })).toMatchObject({ results: { response: { status: 200 } } });
  expect(await client.webhooks.getBatchStatus(id, { limit: 10 })).toEqual({ results: [] });
  await client.webhooks.delete(id);
  expect(await client.webhooks.list()).toEqual({ results: [] });
});

test("lists the batches that failed, and does not register a webhook at a target that rejects its test", async () => {
  let status = 200;
  await using application = await startApplication(() => ({ status }));
  const hook = { name: "Down", target: `${application.origin}/down`, events: ["delivery"] };
  const { id } = (await client.webhooks.create(hook)).results;
  status = 500;
  await client.transmissions.send({ recipients: [{ address: zoe }], content });
  await application.receivedAt("/down", 2);
  await vi.waitFor(async () => {
    expect(await client.webhooks.getBatchStatus(id, {})).toMatchObject({
      results: [{ attempts: 1, response_code: "500" }],
    });
  });
  await expect(client.webhooks.create(hook)).rejects.toMatchObject({ statusCode: 400 });
  await client.webhooks.delete(id);
});

test("validates an address", async () => {
  const validate = async (address: string): Promise<unknown> =>
    client.get({ uri: `recipient-validation/single/${address}` });
  expect(await validate(zoe)).toMatchObject({ results: { result: "valid" } });
  expect(await validate("zoe@")).toMatchObject({ results: { reason: "Invalid Syntax" } });
});

test("registers a relay webhook, which gets inbound mail", async () => {
  await using application = await startApplication();
  const target = `${application.origin}/relay`;
  const credentials = { auth_token: "token", custom_headers: { "X-Shop": "spring" } };
  const match = { domain: `${server}.restante.test` };
  const { id } = (await client.relayWebhooks.create({ name: "Replies", target, match, ...credentials })).results;
  expect(await client.relayWebhooks.list()).toMatchObject({ results: [{ id, match }] });
  await client.transmissions.send({ recipients: [{ address: zoe }], content: { ...content, subject: "Relayed" } });
  const [relayed] = await application.receivedAt("/relay", 1, eventsIn);
  expect(relayed).toMatchObject({ webhook_id: id, rcpt_to: zoe, content: { subject: "Relayed" } });
  await client.relayWebhooks.delete(id);
  expect(await client.relayWebhooks.list()).toEqual({ results: [] });
});
