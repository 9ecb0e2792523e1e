/** Mailtrap's Node SDK, unmodified, against the service. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { verifyWebhookSignature, type MailtrapClient } from "mailtrap";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { mailtrapClient } from "./mailtrap-library.ts";

const server = "shop1234";
const to = (name: string): { readonly email: string } => ({ email: `${name}@${server}.restante.test` });
const from = { email: "app@shop.example", name: "App" };
let service: Restante;
let client: MailtrapClient;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = mailtrapClient(service.url, { token: "any", accountId: 1 });
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

test("sends a mail with a file and an inline image, from each of its hosts", async () => {
  const content = Buffer.from([0, 255, 13, 10]);
  const mail = {
    from,
    to: [to("zoe")],
    bcc: [to("audit")],
    reply_to: { email: "support@shop.example" },
    subject: "Hello",
    text: "Your code is 482913",
    html: "<p>Hi</p><img src='cid:logo'>",
    category: "confirm",
    custom_variables: { user: 42 },
    headers: { "X-Order": "4711" },
    attachments: [
      { filename: "data.bin", content },
      { filename: "logo.png", content, type: "image/png", disposition: "inline", content_id: "logo" },
    ],
  };
  for (const bulk of [false, true]) {
    const { success, message_ids: ids } = await mailtrapClient(service.url, { token: "any", bulk }).send(mail);
    expect([success, ids.length, new Set(ids).size]).toEqual([true, 2, 1]);
    expect(await ask(`/api/messages/${ids[0] ?? ""}`)).toMatchObject({
      subject: "Hello",
      bcc: [to("audit")],
      text: { codes: [{ value: "482913" }] },
      attachments: [
        { fileName: "logo.png", contentId: "logo", contentType: "image/png" },
        { fileName: "data.bin", length: 4 },
      ],
      provider: { name: "mailtrap", id: ids[0], tags: ["confirm"], metadata: { user: "42" } },
    });
  }
});

test("sends a batch with an outcome for each mail", async () => {
  const requests = [{ to: [to("first")] }, { to: [{ email: "nobody" }] }, { to: [to("third")], subject: "Own" }];
  const { success, responses } = await client.batchSend({ base: { from, subject: "Batch", text: "Hi" }, requests });
  expect([success, responses.map((one) => one.success)]).toEqual([true, [true, false, true]]);
  expect(responses[1]?.errors).toEqual(["'to' address is invalid"]);
  const [id = ""] = responses[2]?.message_ids ?? [];
  expect(await ask(`/api/messages/${id}`)).toMatchObject({ subject: "Own", text: { body: "Hi" } });
});

test("sends with a template that the SDK has created, changed and lists", async () => {
  const body_html = "<p>{{#each items}}{{this}};{{/each}}</p>";
  const created = await client.templates.create({
    name: "Order",
    subject: "For {{name}}",
    category: "Test",
    body_html,
  });
  await client.templates.update(created.id, { body_text: "{{name}}" });
  expect(await client.templates.getList()).toMatchObject([{ id: created.id, body_text: "{{name}}" }]);
  const template_variables = { name: "Zoë", items: ["a", "b"] };
  const sent = await client.send({ from, to: [to("zoe")], template_uuid: created.uuid, template_variables });
  expect(await ask(`/api/messages/${sent.message_ids[0] ?? ""}`)).toMatchObject({
    subject: "For Zoë",
    text: { body: "Zoë" },
    html: { body: expect.stringContaining("<p>a;b;</p>") as string },
    provider: { template: { id: created.uuid, data: template_variables } },
  });
  await client.templates.delete(created.id);
  await expect(client.templates.get(created.id)).rejects.toThrow("Not Found");
});

test("keeps suppressions", async () => {
  const { data } = await client.suppressions.create({ ...to("gone"), domain_id: 1, sending_stream: "transactional" });
  expect(await client.suppressions.getList(to("gone"))).toMatchObject([{ id: data.id, type: "manual import" }]);
  expect(await client.suppressions.delete(data.id)).toMatchObject({ id: data.id });
  expect(await client.suppressions.getList()).toEqual([]);
});

test("raises the errors of mail, of accounts and of fault rules", async () => {
  const mail = { from, to: [to("zoe")], subject: "", text: "" };
  await expect(client.send(mail)).rejects.toThrow("'subject' is required,must specify either text or html body");
  await expect(client.templates.create({ name: "", subject: "a", category: "b", body_html: "" })).rejects.toThrow(
    "can't be blank",
  );
  const rule = { name: "limit", match: { stage: "request" }, when: { first: 1 }, then: { error: "rateLimited" } };
  await ask(`/api/servers/${server}/faults`, { method: "PUT", value: { items: [rule] } });
  await expect(client.send({ ...mail, subject: "a", text: "b" })).rejects.toThrow("Rate limit exceeded");
});

test("reports events, which the SDK verifies", async () => {
  const received: { readonly body: string; readonly signature: string }[] = [];
  const application: Server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      received.push({ body: await text(request), signature: String(request.headers["mailtrap-signature"]) });
      response.end();
    };
    void respond();
  }).listen(0, "127.0.0.1");
  await once(application, "listening");
  const url = `http://127.0.0.1:${String((application.address() as AddressInfo).port)}/hook`;
  try {
    const path = `/api/servers/${server}/event-webhooks/mailtrap`;
    const { secret } = (await ask(path, { method: "PUT", value: { url } })) as { secret: string };
    const mail = { from, to: [to("zoe")], subject: "Hello", text: "Hi", category: "confirm" };
    const [id = ""] = (await client.send(mail)).message_ids;
    await vi.waitFor(() => expect(received).toHaveLength(1), { interval: 50, timeout: 20_000 });
    await ask(`/api/messages/${id}/events`, { method: "POST", value: { type: "bounced", reason: "550 5.1.1 No" } });
    await vi.waitFor(() => expect(received).toHaveLength(2), { interval: 50, timeout: 20_000 });
    expect(received.map(({ body, signature }) => verifyWebhookSignature(body, signature, secret))).toEqual([
      true,
      true,
    ]);
    const common = { message_id: id, email: to("zoe").email, category: "confirm" };
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { events: [{ event: "delivery", ...common }] },
      { events: [{ event: "bounce", response: "550 5.1.1 No", ...common }] },
    ]);
  } finally {
    application.closeAllConnections();
    application.close();
  }
});
