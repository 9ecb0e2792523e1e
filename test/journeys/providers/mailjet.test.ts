/** Mail through the Mailjet-compatible API over real sockets and TLS, with the unmodified library. */
import { readFileSync } from "node:fs";
import { globalAgent } from "node:https";
import { Client, type SendEmailV3_1 as SendEmail } from "node-mailjet";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "a-key-for-journeys";
const server = "mjet1234" as ServerId;
const to = `ada@${server}.restante.test`;

let stop: SilentService["stop"];
let service: RunningService;
let client: Client;

beforeAll(async () => {
  ({ service, stop } = await startSilently({
    apiKey: key,
    httpsPort: 0,
    servers: [{ id: server, name: "Mailjet" }],
  }));
  // As NODE_EXTRA_CA_CERTS does when a process starts.
  globalAgent.options.ca = readFileSync(service.caFile ?? "", "utf8");
  client = openClient(key);
});
afterAll(async () => {
  await stop();
});

/** The library speaks only HTTPS; its host may have a path. */
function openClient(apiSecret: string): Client {
  const host = `localhost:${String(service.ports.https)}/providers/mailjet`;
  return new Client({ apiKey: "public", apiSecret, config: { host } });
}

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

const draft: SendEmail.Message = {
  From: { Email: "app@shop.example", Name: "Shöp" },
  To: [{ Email: to }],
  Subject: "Hello",
  TextPart: "Hi",
};

async function send(body: object, by = client): Promise<SendEmail.Response> {
  return (await by.post("send", { version: "v3.1" }).request<SendEmail.Response & object>(body as never)).body;
}

async function failure(body: object, by = client): Promise<unknown> {
  return send(body, by).then(
    () => expect.unreachable("the mail was accepted"),
    (error: unknown) => error,
  );
}

test("the library sends a mail with every property, and the interface returns it", async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
  const file = { ContentType: "application/octet-stream", Base64Content: bytes.toString("base64") };
  const { Messages: results } = await send({
    Messages: [
      {
        ...draft,
        Cc: [{ Email: `bo@${server}.restante.test`, Name: "Bo" }],
        Bcc: [{ Email: `hidden@${server}.restante.test` }],
        ReplyTo: { Email: "help@shop.example" },
        Subject: "Ваш код 482913",
        HTMLPart: '<p>Code <b>482913</b></p><img src="cid:logo">',
        Headers: { "X-Order": "4711" },
        CustomCampaign: "welcome",
        CustomID: "order-1",
        EventPayload: "payload",
        Attachments: [{ ...file, Filename: "März.bin" }],
        InlinedAttachments: [{ ...file, Filename: "l.png", ContentType: "image/png", ContentID: "logo" }],
      },
    ],
  });
  const [sent] = results[0]?.To ?? [];
  expect(results).toMatchObject([{ Status: "success", CustomID: "order-1", To: [{ Email: to }], Cc: [{}], Bcc: [{}] }]);
  expect(sent?.MessageID).toBeTypeOf("number");
  const message = await bySubject("Ваш код 482913");
  expect(message).toMatchObject({
    from: [{ name: "Shöp", email: "app@shop.example" }],
    to: [{ email: to }],
    cc: [{ name: "Bo" }],
    bcc: [{ email: `hidden@${server}.restante.test` }],
    text: { body: expect.stringContaining("Hi") as string },
    html: { codes: [{ value: "482913" }] },
    provider: {
      name: "mailjet",
      id: sent?.MessageUUID,
      tags: ["welcome"],
      metadata: { CustomID: "order-1", EventPayload: "payload" },
      template: null,
    },
  });
  expect(message.attachments.map(({ fileName, contentId, length }) => [fileName, contentId, length])).toEqual([
    ["l.png", "logo", 256],
    ["März.bin", null, 256],
  ]);
  const fields = message.metadata.headers.map(({ field, value }) => `${field}: ${value}`);
  expect(fields).toEqual(expect.arrayContaining(["X-Order: 4711", "Reply-To: help@shop.example"]));
});

test("the library reads a message by its numeric id and by its CustomID", async () => {
  const { Messages: results } = await send({ Messages: [{ ...draft, Subject: "Read back", CustomID: "read-1" }] });
  const [sent] = results[0]?.To ?? [];
  const { body } = await client
    .get("message")
    .id(sent?.MessageID ?? 0)
    .request({}, { ShowSubject: true });
  expect(body).toMatchObject({
    Count: 1,
    Data: [{ ID: sent?.MessageID, UUID: sent?.MessageUUID, Subject: "Read back" }],
  });
  const list = await client.get("message").request({}, { CustomID: "read-1" });
  expect(list.body).toMatchObject({ Count: 1, Data: [{ UUID: sent?.MessageUUID }] });
  const history = await client
    .get("messagehistory")
    .id(sent?.MessageID ?? 0)
    .request();
  expect(history.body).toMatchObject({ Data: [{ EventType: "sent" }] });
});

test("a batch sends its valid messages and reports the others", async () => {
  const { Messages: results } = await send({
    Globals: { Subject: "Batch" },
    Messages: [
      { ...draft, Subject: undefined },
      { ...draft, To: [{ Email: "nobody" }] },
    ],
  });
  expect(results).toMatchObject([
    { Status: "success" },
    { Status: "error", Errors: [{ ErrorCode: "mj-0013", ErrorMessage: '"nobody" is an invalid email address.' }] },
  ]);
  expect(await bySubject("Batch")).toMatchObject({ to: [{ email: to }] });
});

test("the library throws Mailjet's errors, and nothing is stored", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  expect(await failure({ Messages: [{ ...draft, TextPart: undefined }] })).toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('At least "HTMLPart", "TextPart" or "TemplateID" must be provided.') as string,
  });
  expect(await failure({ Messages: [draft] }, openClient("unknown"))).toMatchObject({
    statusCode: 401,
    ErrorMessage: expect.stringContaining("API key authentication/authorization failure") as string,
    ErrorIdentifier: expect.any(String) as string,
  });
  await expect(client.get("message").id(1).request()).rejects.toMatchObject({
    statusCode: 404,
    ErrorMessage: "Object not found",
  });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("sandbox mode checks messages and stores nothing", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  expect(await send({ SandboxMode: true, Messages: [draft] })).toMatchObject({ Messages: [{ Status: "success" }] });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("version 3 of the API sends a mail of its own to every recipient", async () => {
  const names = ["Ada", "Grace"];
  const Recipients = names.map((name) => ({ Email: `${name.toLowerCase()}@${server}.restante.test`, Vars: { name } }));
  const { body } = await client.post("send", { version: "v3" }).request({
    FromEmail: "app@shop.example",
    Subject: "Order of {{var:name}}",
    "Text-part": "Hi {{var:name}}",
    "Mj-TemplateLanguage": true,
    Recipients,
  });
  expect(body).toMatchObject({ Sent: Recipients.map(({ Email }) => ({ Email })) });
  for (const name of names) {
    expect(await bySubject(`Order of ${name}`)).toMatchObject({
      to: [{ email: `${name.toLowerCase()}@${server}.restante.test` }],
    });
  }
});

test("a template that is stored here is rendered with the language of Mailjet", async () => {
  const created = await client.post("template").request({ Name: "welcome" });
  const [{ ID: id } = { ID: 0 }] = (created.body as unknown as { readonly Data: readonly { readonly ID: number }[] })
    .Data;
  await client
    .post("template")
    .id(id)
    .action("detailcontent")
    .request({ "Html-part": '<p>{{var:name:"you"}}</p>', Headers: { Subject: "Welcome {{var:name}}" } });
  const Variables = { name: "Zoë" };
  await send({ Messages: [{ From: draft.From, To: draft.To, TemplateID: id, TemplateLanguage: true, Variables }] });
  expect(await bySubject("Welcome Zoë")).toMatchObject({
    html: { body: expect.stringContaining("<p>Zoë</p>") as string },
    provider: { template: { id: String(id), data: Variables } },
  });
  const deleted = await client.delete("template").id(id).request();
  expect(deleted.response.status).toBe(204);
});

test("a template that is not stored here is shown with its variables", async () => {
  const message = { From: draft.From, To: draft.To, TemplateID: 4711, Variables: { code: "731942" } };
  await send({ Messages: [message] });
  expect(await bySubject("Template 4711")).toMatchObject({
    text: { body: expect.stringContaining("731942") as string },
    provider: { template: { id: "4711", data: { code: "731942" } } },
  });
});
