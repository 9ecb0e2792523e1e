/** MailerSend's Node SDK, unmodified, against the service. */
import {
  Attachment,
  EmailParams,
  EmailWebhook,
  MailerSend,
  Recipient,
  Sender,
  SmsActivityStatusType,
  SMSParams,
  SmsWebhook,
  SmsWebhookEventType,
} from "mailersend";
import { BlockListType } from "mailersend/lib/models/email/Recipient.js";
import type { APIResponse } from "mailersend/lib/services/request.service.js";
import { MailerSendUtils } from "mailersend/lib/services/mailersend.utils.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { startApplication, type Notified } from "./notified-application.ts";

const server = "shop1234";
const from = new Sender("app@shop.example", "App");
const to = (name: string): Recipient => new Recipient(`${name}@${server}.restante.test`);
let service: Restante;
let client: MailerSend;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = new MailerSend({ apiKey: "mlsn.any" });
  const { email, sms } = client;
  const baseUrl = `${service.url}/providers/mailersend/v1`;
  for (const one of [
    email,
    email.message,
    email.schedule,
    email.template,
    email.recipient,
    email.webhook,
    sms,
    sms.message,
    sms.number,
    sms.recipient,
    sms.webhook,
    sms.activity,
  ]) {
    Object.assign(one, { baseUrl });
  }
});
afterAll(async () => service.stop());

const ask = async (
  path: string,
  options: { readonly method?: string; readonly value?: object } = {},
): Promise<unknown> => {
  const { method = "GET", value } = options;
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  const body = value === undefined ? null : JSON.stringify(value);
  return (await fetch(`${service.url}${path}`, { method, headers, body })).json();
};
const mailTo = (name: string): EmailParams =>
  new EmailParams()
    .setFrom(from)
    .setTo([to(name)])
    .setSubject("Hello {{ name }}")
    .setText("Your code is 482913");
const headerOf = (response: APIResponse, name: string): string =>
  String((response.headers as Readonly<Record<string, unknown>>)[name]);
const send = async (params: EmailParams): Promise<string> => {
  const response = await client.email.send(params);
  expect(response.statusCode).toBe(202);
  return headerOf(response, "x-message-id");
};

test("sends a mail with a file, an inline image and data, which the API and the SDK read", async () => {
  const content = Buffer.from([0, 255, 13, 10]).toString("base64");
  const params = mailTo("zoe")
    .setHtml("<p>Hi {% if vip %}dear {% endif %}{{ name }}</p><img src='cid:logo'>")
    .setBcc([to("audit")])
    .setReplyTo(new Recipient("support@shop.example"))
    .setTags(["confirm"])
    .setInReplyTo("first@shop.example")
    .setHeaders([{ name: "X-Order", value: "4711" }])
    .setPersonalization([{ email: to("zoe").email, data: { name: "Zoë", vip: true } }])
    .setAttachments([
      new Attachment(content, "data.bin", "attachment"),
      new Attachment(content, "logo.png", "inline", "logo"),
    ]);
  const id = await send(params);
  expect(await ask(`/api/messages/${id}`)).toMatchObject({
    subject: "Hello Zoë",
    bcc: [{ email: to("audit").email }],
    html: { body: expect.stringContaining("<p>Hi dear Zoë</p>") as string },
    text: { body: "Your code is 482913", codes: [{ value: "482913" }] },
    attachments: expect.arrayContaining([
      expect.objectContaining({ fileName: "data.bin", length: 4 }),
      expect.objectContaining({ fileName: "logo.png", contentId: "logo", contentType: "image/png" }),
    ]) as unknown,
    provider: { name: "mailersend", id, tags: ["confirm"] },
  });
  const read = await client.email.message.single(id);
  expect(read.body).toMatchObject({
    data: { id, emails: [{ subject: "Hello Zoë", tags: ["confirm"], status: "delivered" }] },
  });
  const list = await client.email.message.list({ page: 1, limit: 10 });
  expect(list.body).toMatchObject({ data: [{ id }], meta: { current_page: 1 } });
});

test("sends in bulk, and reports errors and ids", async () => {
  const bulk = await client.email.sendBulk([
    mailTo("first"),
    mailTo("second"),
    mailTo("x").setTo([new Recipient("x")]),
  ]);
  const { bulk_email_id: id } = bulk.body as { bulk_email_id: string };
  expect((await client.email.getBulkStatus(id)).body).toMatchObject({
    data: {
      state: "completed",
      total_recipients_count: 2,
      validation_errors_count: 1,
      messages_id: [id, expect.any(String)],
    },
  });
});

test("sends with a template that the SDK has created, and with one that is not stored", async () => {
  const html = "<ul>{% for one in items %}<li>{{ loop.index }} {{ one }}</li>{% endfor %}</ul>";
  const created = await client.email.template.create({ name: "Order", html, text: "{{ items|length }} items" });
  const { id } = (created.body as { data: { id: string } }).data;
  const data = { items: ["a", "<b>"] };
  const params = new EmailParams()
    .setFrom(from)
    .setTo([to("zoe")])
    .setSubject("Order")
    .setTemplateId(id);
  const stored = await send(params.setPersonalization([{ email: to("zoe").email, data }]));
  expect(await ask(`/api/messages/${stored}`)).toMatchObject({
    html: { body: expect.stringContaining("<ul><li>1 a</li><li>2 &lt;b&gt;</li></ul>") as string },
    text: { body: "2 items" },
    provider: { template: { id, data } },
  });
  const other = await send(params.setTemplateId("jy7zpl93p5rg5vx6"));
  expect(await ask(`/api/messages/${other}`)).toMatchObject({
    provider: { template: { id: "jy7zpl93p5rg5vx6", data } },
  });
});

test("schedules, lists and cancels a mail", async () => {
  const id = await send(mailTo("zoe").setSendAt(Math.floor(Date.now() / 1000) + 3600));
  expect((await client.email.schedule.list({ status: "scheduled" })).body).toMatchObject({
    data: [{ message_id: id, status: "scheduled" }],
  });
  expect((await client.email.schedule.single(id)).body).toMatchObject({ data: { message_id: id } });
  expect((await client.email.schedule.delete(id)).statusCode).toBe(204);
  await expect(client.email.schedule.single(id)).rejects.toMatchObject({ statusCode: 404 });
});

test("leaves out suppressed recipients", async () => {
  const { recipient } = client.email;
  await recipient.blockRecipients({ domain_id: "d", recipients: [to("gone").email] }, BlockListType.HARD_BOUNCES_LIST);
  const sent = await client.email.send(mailTo("gone"));
  expect(sent.body).toMatchObject({
    warnings: [{ type: "ALL_SUPPRESSED", recipients: [{ email: to("gone").email, reasons: ["hard_bounced"] }] }],
  });
  await recipient.delAllBlockListRecipients(BlockListType.HARD_BOUNCES_LIST);
  await send(mailTo("gone"));
});

test("sends an SMS", async () => {
  await ask("/api/phone-numbers", { method: "POST", value: { number: "+447700900123", server } });
  const params = new SMSParams({ from: "+15550100", to: ["+447700900123"], text: "Hi {{ name }}, code 482913" });
  params.setPersonalization([{ phone_number: "+447700900123", data: { name: "Zoë" } }]);
  const id = headerOf(await client.sms.send(params), "x-sms-message-id");
  expect((await client.sms.message.single(id)).body).toMatchObject({
    data: { text: "Hi Zoë, code 482913", to: ["+447700900123"], sms: [{ status: "delivered" }] },
  });
});

test("registers a webhook about SMS, and excludes a number", async () => {
  await using application = await startApplication();
  await ask("/api/phone-numbers", { method: "POST", value: { number: "+447700900124", server } });
  const { number, recipient, webhook, activity } = client.sms;
  const [from, to] = ["+15550101", "+447700900124"];
  const sms = new SMSParams({ from, to: [to], text: "First" });
  await client.sms.send(sms);
  const numbers = (await number.list({ page: 1, limit: 25 })).body as {
    data: { id: string; telephone_number: string }[];
  };
  const numberId = numbers.data.find((one) => one.telephone_number === from)?.id ?? "";
  const events = [SmsWebhookEventType.SENT, SmsWebhookEventType.DELIVERED];
  const created = await webhook.create(new SmsWebhook("SMS", `${application.origin}/sms`, events, numberId, true));
  const { data } = created.body as { data: { id: string; secret: string } };
  const id = headerOf(await client.sms.send(sms.setText("Second")), "x-sms-message-id");
  const received = await application.receivedAt("/sms", 2, eventsIn);
  for (const { body, headers } of received) {
    expect(MailerSendUtils.verifyWebHook(Buffer.from(body), String(headers["signature"]), data.secret)).toBe(true);
    expect(JSON.parse(body)).toMatchObject({ sms_number_id: numberId, data: { sms_message_id: id, to } });
  }
  const types = received.map((one) => (JSON.parse(one.body) as { type: string }).type);
  expect(types).toEqual(["sms.sent", "sms.delivered"]);
  const listed = await activity.list({ sms_number_id: numberId, status: [SmsActivityStatusType.DELIVERED] });
  expect(listed.body).toMatchObject({ data: [{ content: "Second" }, { content: "First" }] });
  const recipients = (await recipient.list({ status: "active" })).body as { data: { id: string; number: string }[] };
  const recipientId = recipients.data.find((one) => one.number === to)?.id ?? "";
  await recipient.update(recipientId, "opt_out");
  await expect(client.sms.send(sms)).rejects.toMatchObject({ statusCode: 422 });
  expect((await recipient.single(recipientId)).body).toMatchObject({
    data: { status: "opt_out", sms: [{ to }, { to }] },
  });
  await webhook.delete(data.id);
  expect((await webhook.list({ sms_number_id: numberId })).body).toMatchObject({ data: [] });
});

test("reports errors as MailerSend does", async () => {
  await expect(client.email.send(mailTo("x").setTo([]))).rejects.toMatchObject({
    statusCode: 422,
    body: { message: "The to field is required. #MS42209", errors: { to: ["The to field is required. #MS42209"] } },
  });
  await expect(client.email.message.single("none")).rejects.toMatchObject({
    statusCode: 404,
    body: { message: "Resource not found." },
  });
});

test("responds with a rate limit that a fault rule causes", async () => {
  const rule = { name: "limit", match: { stage: "request" }, when: { first: 1 }, then: { error: "rateLimited" } };
  await ask(`/api/servers/${server}/faults`, { method: "PUT", value: { items: [rule] } });
  await expect(client.email.send(mailTo("zoe"))).rejects.toMatchObject({
    statusCode: 429,
    body: { message: expect.stringContaining("#MS42903") as string },
    headers: { "retry-after": "1", "x-ratelimit-limit": "120" },
  });
});

/** Returns a request with an event, and none for the test of a receiver. */
const eventsIn = (request: Notified): readonly Notified[] => (request.body.includes('"webhook.test"') ? [] : [request]);

test("registers a webhook, whose events the SDK verifies", async () => {
  await using application = await startApplication();
  const { webhook } = client.email;
  const hook = new EmailWebhook()
    .setUrl(`${application.origin}/hook`)
    .setName("Delivery")
    .setDomainId("yv69oxl5kl785kw2")
    .setEnabled(true)
    .setEvents(["activity.sent", "activity.soft_bounced"]);
  const created = await webhook.create(hook);
  const { data } = created.body as { data: { id: string; secret: string } };
  await webhook.update(data.id, { events: ["activity.delivered" as never, "activity.soft_bounced" as never] });
  expect((await webhook.list("yv69oxl5kl785kw2")).body).toMatchObject({ data: [{ id: data.id, name: "Delivery" }] });
  const id = await send(mailTo("zoe"));
  await application.receivedAt("/hook", 1, eventsIn);
  const mail = (await ask(`/api/messages/${id}`)) as { readonly id: string };
  const emit = async (bounce: string): Promise<unknown> =>
    ask(`/api/messages/${mail.id}/events`, { method: "POST", value: { type: "bounced", bounce } });
  expect(await emit("hard")).toMatchObject({ status: 400 });
  await emit("soft");
  const received = await application.receivedAt("/hook", 2, eventsIn);
  expect(received).toHaveLength(2);
  for (const { body: bytes, headers } of received) {
    const signature = String(headers["signature"]);
    expect(MailerSendUtils.verifyWebHook(Buffer.from(bytes), signature, data.secret)).toBe(true);
    expect(JSON.parse(bytes)).toMatchObject({ webhook_id: data.id, data: { email: { message: { id } } } });
  }
  const types = received.map((one) => (JSON.parse(one.body) as { type: string }).type);
  expect(types).toEqual(["activity.delivered", "activity.soft_bounced"]);
  await webhook.delete(data.id);
  await expect(webhook.single(data.id)).rejects.toMatchObject({ statusCode: 404 });
});
