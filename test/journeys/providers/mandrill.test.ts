/** Mailchimp's Node SDK for Mandrill, unmodified, against the service. */
import { createHmac } from "node:crypto";
import mailchimp from "@mailchimp/mailchimp_transactional";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { startApplication } from "./notified-application.ts";

type Client = ReturnType<typeof mailchimp> & { basePath: string };

const server = "shop1234";
const zoe = `zoe@${server}.restante.test`;
const ada = `ada@${server}.restante.test`;
let service: Restante;
let client: Client;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = mailchimp("md-any") as Client;
  client.basePath = `${service.url}/providers/mandrill/api/1.3`;
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

/** Returns an instant some days from now as Mandrill writes it. */
function inDays(count: number): string {
  return new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 19).replace("T", " ");
}

const message = { from_email: "app@shop.example", from_name: "Shop", subject: "Hello", to: [{ email: zoe }] };

/** Returns the results of a call; the SDK resolves to an error instead of rejecting. */
function results(
  answer: unknown,
): readonly { readonly email: string; readonly status: string; readonly _id: string }[] {
  expect(answer).toBeInstanceOf(Array);
  return answer as ReturnType<typeof results>;
}

/** Returns the status and the error of a call that was rejected. */
function rejection(answer: unknown): { readonly status: number; readonly data: unknown } {
  expect(answer).toBeInstanceOf(Error);
  return (answer as { readonly response: ReturnType<typeof rejection> }).response;
}

test("sends a mail with files, which is read by the API and by the SDK", async () => {
  const logo = Buffer.from([0, 255, 13, 10]);
  const sent = results(
    await client.messages.send({
      message: {
        ...message,
        to: [
          { email: zoe, name: "Zoë" },
          { email: ada, type: "bcc" },
        ],
        html: "<p>Code <b>482913</b></p><img src='cid:logo'>",
        text: "Code 482913",
        headers: { "Reply-To": "support@shop.example", "X-Order": "4711" },
        tags: ["confirm"],
        metadata: { website: "shop.example" },
        subaccount: "customer-1",
        preserve_recipients: true,
        attachments: [{ type: "text/plain", name: "terms.txt", content: Buffer.from("Terms").toString("base64") }],
        images: [{ type: "image/png", name: "logo", content: logo.toString("base64") }],
      },
    }),
  );
  expect(sent).toMatchObject([
    { email: zoe, status: "queued" },
    { email: ada, status: "queued" },
  ]);
  const { _id: id } = sent[0] ?? { _id: "" };
  const [stored] = await ask<{ id: string }[]>(`GET /api/messages?server=${server}&provider=mandrill`);
  expect(await ask(`GET /api/messages/${stored?.id ?? ""}`)).toMatchObject({
    subject: "Hello",
    bcc: [{ email: ada }],
    html: { codes: [{ value: "482913" }] },
    attachments: [
      { fileName: "logo", contentId: "logo", contentType: "image/png", length: 4 },
      { fileName: "terms.txt", contentType: expect.stringContaining("text/plain") as string, length: 5 },
    ],
    provider: { name: "mandrill", id, tags: ["confirm"], metadata: { website: "shop.example" } },
  });
  expect(await client.messages.info({ id })).toMatchObject({ _id: id, email: zoe, tags: ["confirm"], state: "sent" });
  expect(await client.messages.content({ id })).toMatchObject({
    html: expect.stringContaining("482913") as string,
    attachments: [{ name: "logo" }, { name: "terms.txt", content: Buffer.from("Terms").toString("base64") }],
  });
  expect(await client.messages.search({ query: "subject:hello" })).toMatchObject([{ _id: id }]);
});

test("sends a mail of its own to each recipient, with its variables", async () => {
  const sent = results(
    await client.messages.send({
      message: {
        ...message,
        subject: "Hello *|NAME|*",
        text: "*|IF:VIP|*Dear*|ELSE:|*Hi*|END:IF|* *|NAME|*",
        to: [{ email: zoe }, { email: ada }],
        global_merge_vars: [{ name: "name", content: "you" }],
        merge_vars: [
          {
            rcpt: zoe,
            vars: [
              { name: "NAME", content: "Zoë" },
              { name: "vip", content: "1" },
            ],
          },
        ],
      },
    }),
  );
  const found = await Promise.all(sent.map(async ({ _id }) => client.messages.content({ id: _id })));
  expect(found).toMatchObject([
    { subject: "Hello Zoë", text: expect.stringContaining("Dear Zoë") as string, to: { email: zoe } },
    { subject: "Hello you", text: expect.stringContaining("Hi you") as string, to: { email: ada } },
  ]);
});

test("sends with a template that the SDK has created, and in Handlebars", async () => {
  const code = '<h1 mc:edit="title">Title</h1>{{#each items}}<p>{{upper name}}</p>{{/each}}';
  const added = await client.templates.add({ name: "Receipt", code, subject: "Receipt {{number}}" });
  expect(added).toMatchObject({ slug: "receipt", publish_code: code });
  const [sent] = results(
    await client.messages.sendTemplate({
      template_name: "receipt",
      template_content: [{ name: "title", content: "Your order" }],
      message: {
        from_email: "app@shop.example",
        to: [{ email: zoe }],
        merge_language: "handlebars",
        global_merge_vars: [
          { name: "number", content: "4711" },
          { name: "items", content: [{ name: "tea" }] as unknown as string },
        ],
      },
    }),
  );
  expect(await client.messages.content({ id: sent?._id ?? "" })).toMatchObject({
    subject: "Receipt 4711",
    html: expect.stringContaining("<h1>Your order</h1><p>TEA</p>") as string,
  });
  const [stored] = await ask<{ id: string }[]>(`GET /api/messages?server=${server}&provider=mandrill`);
  expect(await ask(`GET /api/messages/${stored?.id ?? ""}`)).toMatchObject({
    provider: { template: { id: "receipt", data: { number: "4711" } } },
  });
});

test("sends a whole mail, and schedules, reschedules and cancels", async () => {
  const raw_message = `From: app@shop.example\r\nTo: ${zoe}\r\nSubject: Raw\r\n\r\nHi\r\n`;
  expect(results(await client.messages.sendRaw({ raw_message }))).toMatchObject([{ email: zoe, status: "sent" }]);
  const [scheduled] = results(
    await client.messages.send({ message: { ...message, text: "Later" }, send_at: inDays(1) }),
  );
  const id = scheduled?._id ?? "";
  expect(scheduled).toMatchObject({ status: "scheduled" });
  const later = inDays(2);
  expect(await client.messages.reschedule({ id, send_at: later })).toMatchObject({ _id: id, send_at: later });
  expect(await client.messages.listScheduled({ to: zoe })).toMatchObject([{ _id: id, subject: "Hello" }]);
  expect(await client.messages.cancelScheduled({ id })).toMatchObject({ _id: id });
  expect(await client.messages.listScheduled()).toEqual([]);
  expect(rejection(await client.messages.cancelScheduled({ id })).data).toMatchObject({ name: "Unknown_Message" });
});

test("rejects an address on the reject list, and invalid requests with Mandrill's errors", async () => {
  await client.rejects.add({ email: ada, comment: "left" });
  expect(await client.rejects.list()).toMatchObject([{ email: ada, reason: "custom" }]);
  const both = await client.messages.send({
    message: { ...message, text: "Hi", to: [{ email: ada }, { email: zoe }] },
  });
  expect(both).toMatchObject([{ status: "rejected", reject_reason: "custom" }, { status: "sent" }]);
  await client.rejects.delete({ email: ada });
  expect(
    rejection(await client.messages.sendTemplate({ template_name: "none", template_content: [], message })),
  ).toMatchObject({
    status: 500,
    data: { status: "error", code: 5, name: "Unknown_Template", message: 'No such template "none"' },
  });
  expect(await client.users.ping()).toBe("PONG!");
});

test("receives the error of a fault rule", async () => {
  const rule = { name: "fault", match: { stage: "request" }, then: { error: "rateLimited" } };
  await ask(`PUT /api/servers/${server}/faults`, { items: [rule] });
  const { status, data } = rejection(await client.messages.send({ message: { ...message, text: "Hi" } }));
  expect([status, data]).toMatchObject([429, { status: "error" }]);
  await ask(`PUT /api/servers/${server}/faults`, { items: [] });
});

test("registers a webhook, which gets events in signed batches", async () => {
  await using application = await startApplication();
  const url = `${application.origin}/hook`;
  const added = await client.webhooks.add({ url, description: "Delivery", events: ["send"] });
  const { id, auth_key: key } = added as { readonly id: number; readonly auth_key: string };
  const events = ["delivered", "soft_bounce"];
  expect(await client.webhooks.update({ id, url, events: events as never })).toMatchObject({ description: "Delivery" });
  expect(await client.webhooks.list()).toMatchObject([{ id, url, auth_key: key, events }]);
  const [sent] = results(await client.messages.send({ message: { ...message, text: "Hi", tags: ["a"] } }));
  await application.receivedAt("/hook", 1);
  const mail = await ask<{ readonly id: string }>(`GET /api/messages/${sent?._id ?? ""}`);
  await ask(`POST /api/messages/${mail.id}/events`, { types: ["bounced"], bounce: "soft" });
  const received = await application.receivedAt("/hook", 2, ({ headers, body }) => {
    const list = new URLSearchParams(body).get("mandrill_events") ?? "";
    const signature = createHmac("sha1", key).update(`${url}mandrill_events${list}`).digest("base64");
    expect(headers["x-mandrill-signature"]).toBe(signature);
    return JSON.parse(list) as readonly object[];
  });
  const shown = { _id: sent?._id, msg: { email: zoe, tags: ["a"] } };
  expect(received).toMatchObject(events.map((event) => ({ event, ...shown })));
  expect(await client.webhooks.delete({ id })).toMatchObject({ id });
  expect(rejection(await client.webhooks.info({ id })).data).toMatchObject({ name: "Unknown_Webhook" });
});

test("adds an inbound route, which gets a mail that is sent to it, signed with its key", async () => {
  await using application = await startApplication();
  const url = `${application.origin}/inbound`;
  const domain = `${server}.restante.test`;
  expect(await client.inbound.addDomain({ domain })).toMatchObject({ domain, valid_mx: true });
  const added = await client.inbound.addRoute({ domain, pattern: "reply-*", url });
  const { id, auth_key: key } = added as unknown as { readonly id: string; readonly auth_key: string };
  expect(await client.inbound.routes({ domain })).toMatchObject([{ id, pattern: "reply-*", url }]);
  const email = `reply-7@${domain}`;
  const raw_message = `From: zoe@shop.example\r\nTo: ${email}\r\nSubject: Re\r\n\r\nThanks`;
  expect(await client.inbound.sendRaw({ raw_message })).toMatchObject([{ email, pattern: "reply-*", url }]);
  const [event] = await application.receivedAt("/inbound", 1, ({ headers, body }) => {
    const list = new URLSearchParams(body).get("mandrill_events") ?? "";
    const signature = createHmac("sha1", key).update(`${url}mandrill_events${list}`).digest("base64");
    expect(headers["x-mandrill-signature"]).toBe(signature);
    return JSON.parse(list) as readonly object[];
  });
  expect(event).toMatchObject({ event: "inbound", msg: { email, subject: "Re", from_email: "zoe@shop.example" } });
  expect(await client.inbound.deleteRoute({ id })).toMatchObject({ id });
  expect(await client.inbound.deleteDomain({ domain })).toMatchObject({ domain });
});
