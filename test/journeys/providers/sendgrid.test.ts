/** Mail through the SendGrid-compatible API over real sockets, with the unmodified library. */
import mail from "@sendgrid/mail";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "SG.a-key-for-journeys";
const server = "grid1234" as ServerId;
const to = `ada@${server}.restante.test`;

let stop: SilentService["stop"];
let service: RunningService;

type MailData = Parameters<typeof mail.send>[0];
interface ResponseError extends Error {
  readonly code: number;
  readonly response: { readonly body: unknown };
}
interface Client {
  setDefaultRequest: (name: string, value: string) => void;
  request: (request: object) => Promise<[{ readonly statusCode: number }, unknown]>;
}
/** Client of the library, which its declarations leave out. */
const { client } = mail as unknown as { readonly client: Client };

beforeAll(async () => {
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Grid" }],
  }));
  mail.setApiKey(key);
  client.setDefaultRequest("baseUrl", `${service.url}/providers/sendgrid`);
});
afterAll(async () => {
  await stop();
});

async function ask<Answer>(line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await fetch(service.url + path, { method, headers, ...content })).json()) as Answer;
}

async function bySubject(subject: string): Promise<Message> {
  const [found] = await ask<Message[]>(`POST /api/messages/search?server=${server}`, { subject });
  return ask<Message>(`GET /api/messages/${found?.id ?? ""}`);
}

async function api(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  body?: object,
): Promise<[number, unknown]> {
  const [{ statusCode }, content] = await client.request({ method, url, ...(body !== undefined && { body }) });
  return [statusCode, content];
}

const draft = { to, from: { email: "app@shop.example", name: "Shöp" }, subject: "Hello", text: "Hi" };

async function failure(data: unknown): Promise<ResponseError> {
  return mail.send(data as MailData).then(
    () => expect.unreachable("the mail was accepted"),
    (error: unknown) => error as ResponseError,
  );
}

test("the library sends a mail with every field, and the interface returns it", async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
  const [response] = await mail.send({
    ...draft,
    cc: `Bo <bo@${server}.restante.test>`,
    bcc: `hidden@${server}.restante.test`,
    replyTo: "help@shop.example",
    subject: "Ваш код 482913",
    html: '<p>Code <b>482913</b></p><img src="cid:logo">',
    headers: { "X-Order": "4711" },
    categories: ["welcome"],
    customArgs: { user: "42" },
    attachments: [
      { content: bytes.toString("base64"), filename: "März.bin", type: "application/octet-stream" },
      {
        content: bytes.toString("base64"),
        filename: "l.png",
        type: "image/png",
        disposition: "inline",
        content_id: "logo",
      },
    ],
  } as MailData);
  expect([response.statusCode, response.body]).toEqual([202, ""]);
  const id = (response.headers as Readonly<Record<string, string>>)["x-message-id"];
  const message = await bySubject("Ваш код 482913");
  expect(message).toMatchObject({
    from: [{ name: "Shöp", email: "app@shop.example" }],
    to: [{ email: to }],
    cc: [{ name: "Bo" }],
    bcc: [{ email: `hidden@${server}.restante.test` }],
    text: { body: expect.stringContaining("Hi") as string },
    html: { codes: [{ value: "482913" }] },
    provider: { name: "sendgrid", id, tags: ["welcome"], metadata: { user: "42" }, template: null },
  });
  expect(message.attachments.map(({ fileName, length }) => [fileName, length])).toEqual([
    ["l.png", 256],
    ["März.bin", 256],
  ]);
  const fields = message.metadata.headers.map(({ field, value }) => `${field}: ${value}`);
  expect(fields).toEqual(expect.arrayContaining(["X-Order: 4711", "Reply-To: help@shop.example"]));
  expect(fields).toContain(`Message-ID: <${String(id)}@geopod-ismtpd-1>`);
});

test("the library sends one mail for each recipient with its substitutions", async () => {
  const names = ["Ada", "Grace"];
  await mail.send({
    from: draft.from,
    subject: "Order of {{name}}",
    text: "Hi {{name}}",
    personalizations: names.map((name) => ({ to: `${name}@${server}.restante.test`, substitutions: { name } })),
  });
  for (const name of names) {
    expect(await bySubject(`Order of ${name}`)).toMatchObject({
      text: { body: expect.stringContaining(name) as string },
    });
  }
});

test("the library throws SendGrid's errors, and nothing is stored", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  const invalid = await failure({ ...draft, to: "nobody" });
  expect(invalid).toMatchObject({ code: 400, message: "Bad Request" });
  expect(invalid.response.body).toEqual({
    errors: [
      {
        message: "Does not contain a valid address.",
        field: "personalizations.0.to.0.email",
        help: "http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html#message.personalizations.to",
      },
    ],
  });
  expect(invalid.toString()).toContain("Bad Request (400)\n  Does not contain a valid address.");
  expect(await failure({ ...draft, text: undefined })).toMatchObject({ code: 400 });
  expect(await failure({ ...draft, attachments: [{ content: "!", filename: "a" }] })).toMatchObject({ code: 400 });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("sandbox mode checks a mail and stores nothing", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  const [response] = await mail.send({ ...draft, mailSettings: { sandboxMode: { enable: true } } });
  expect(response.statusCode).toBe(200);
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("a template of SendGrid that is not stored here is shown with its data", async () => {
  const templateId = "d-5f8c1b7e2a9d4c3fb6e8a1d2c3b4a5f6";
  await mail.send({ to, from: draft.from, templateId, dynamicTemplateData: { code: "731942" } });
  expect(await bySubject(`Template ${templateId}`)).toMatchObject({
    text: { body: expect.stringContaining("731942") as string },
    provider: { template: { id: templateId, data: { code: "731942" } } },
  });
});

test("a template that is stored here is rendered with Handlebars", async () => {
  const [, template] = await api("POST", "/v3/templates", { name: "welcome", generation: "dynamic" });
  const { id: templateId } = template as { readonly id: string };
  const [status] = await api("POST", `/v3/templates/${templateId}/versions`, {
    name: "v1",
    subject: "Welcome {{name}}",
    html_content: "{{#if items}}{{#each items}}<i>{{this}}</i>{{/each}}{{/if}}",
    plain_content: "{{name}}",
  });
  expect(status).toBe(201);
  const dynamicTemplateData = { name: "Zoë", items: ["<a>", "b"] };
  await mail.send({ to, from: draft.from, templateId, dynamicTemplateData });
  expect(await bySubject("Welcome Zoë")).toMatchObject({
    html: { body: expect.stringContaining("<i>&lt;a&gt;</i><i>b</i>") as string },
    provider: { template: { id: templateId, data: dynamicTemplateData } },
  });
  expect(await api("DELETE", `/v3/templates/${templateId}`)).toEqual([204, ""]);
});

test("a scheduled mail arrives neither before its instant nor after its batch is cancelled", async () => {
  const [, { batch_id: batchId }] = (await api("POST", "/v3/mail/batch")) as [number, { readonly batch_id: string }];
  const sendAt = Math.floor(Date.now() / 1000) + 3600;
  const [response] = await mail.send({ ...draft, subject: "Later", sendAt, batchId });
  expect(response.statusCode).toBe(202);
  expect(await ask<Message[]>(`POST /api/messages/search?server=${server}`, { subject: "Later" })).toEqual([]);
  const status = { batch_id: batchId, status: "cancel" };
  expect(await api("POST", "/v3/user/scheduled_sends", status)).toEqual([201, status]);
  expect(await api("GET", `/v3/user/scheduled_sends/${batchId}`)).toEqual([200, [status]]);
});
