import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey, type KeptEmail, type MemoryServices } from "../conformance/services.test-aid.ts";
import { mailjet } from "./provider.ts";
import { messageIdOf } from "./messages.ts";
import { mailjetRequest, resultsOf } from "./samples.test-aid.ts";

const message = {
  From: { Email: "shop@app.example", Name: "Shop" },
  To: [{ Email: "zoe@shop.example", Name: "Zoë" }],
  Subject: "Hello",
  TextPart: "Hello",
};

interface Opened extends MemoryServices {
  readonly call: (line: `${ProviderMethod} ${string}`, value?: unknown) => Promise<ProviderResponse>;
  readonly send: (...messages: readonly object[]) => Promise<ProviderResponse>;
}

function open(): Opened {
  const memory = memoryServices();
  const call: Opened["call"] = async (line, value = {}) => {
    const [method = "", target = ""] = line.split(" ");
    const [path = "", query = ""] = target.split("?");
    const request = mailjetRequest(`${method as ProviderMethod} ${path}`, value, validKey);
    return callEndpoint(mailjet, { ...request, fields: [...new URLSearchParams(query)] }, memory.services);
  };
  return Object.assign(memory, {
    call,
    send: async (...messages: readonly object[]) => call("POST /v3.1/send", { Messages: messages }),
  });
}

function draftOf(email: KeptEmail | undefined): EmailDraft {
  if (email === undefined || email.content instanceof Uint8Array) throw new Error("no draft was stored");
  return email.content;
}

function dataOf(response: ProviderResponse): readonly Readonly<Record<string, unknown>>[] {
  return jsonOf(response)["Data"] as readonly Readonly<Record<string, unknown>>[];
}

describe("POST /v3.1/send", () => {
  test("reads base64 in lines, as the bridge of Symfony sends it", async () => {
    const { send, emails } = open();
    const content = Buffer.alloc(200, 7);
    const Base64Content = content.toString("base64").replaceAll(/.{76}/g, "$&\r\n");
    await send({ ...message, Attachments: [{ ContentType: "text/plain", Filename: "a.txt", Base64Content }] });
    expect(draftOf(emails[0]).attachments.map((one) => Buffer.from(one.content))).toEqual([content]);
  });

  test("responds with the ids of every recipient", async () => {
    const { send, emails } = open();
    const given = { ...message, Cc: [{ Email: "copy@shop.example" }], CustomID: "order-1", EventPayload: "payload" };
    const response = await send(given);
    const uuid = emails[0]?.uuid ?? "";
    const id = messageIdOf(uuid);
    const MessageHref = `http://localhost/providers/mailjet/v3/REST/message/${id}`;
    const ids = { MessageUUID: uuid, MessageID: id, MessageHref };
    expect(jsonOf(response)).toEqual({
      Messages: [
        {
          Status: "success",
          CustomID: "order-1",
          To: [{ Email: "zoe@shop.example", ...ids }],
          Cc: [{ Email: "copy@shop.example", ...ids }],
          Bcc: [],
        },
      ],
    });
    expect(emails[0]?.facts.metadata).toEqual({ CustomID: "order-1", EventPayload: "payload" });
    expect(String(id).length).toBeLessThanOrEqual(15);
  });

  test("sends the valid messages of a batch and reports the issues of the others", async () => {
    const { send, emails } = open();
    const response = await send({ ...message, To: [{ Email: "nobody" }], TextPart: "" }, message);
    expect(response.status).toBe(200);
    expect(resultsOf(response)).toMatchObject([
      {
        Status: "error",
        Errors: [
          {
            ErrorCode: "mj-0013",
            StatusCode: 400,
            ErrorMessage: '"nobody" is an invalid email address.',
            ErrorRelatedTo: ["To[0].Email"],
          },
          {
            ErrorCode: "send-0003",
            ErrorMessage: 'At least "HTMLPart", "TextPart" or "TemplateID" must be provided.',
            ErrorRelatedTo: ["HTMLPart", "TextPart"],
          },
        ],
      },
      { Status: "success" },
    ]);
    expect(emails).toHaveLength(1);
  });

  test("completes messages with the global properties", async () => {
    const { call, emails } = open();
    const { To, ...globals } = message;
    await call("POST /v3.1/send", { Globals: globals, Messages: [{ To }, { To, Subject: "Own" }] });
    expect(emails.map((email) => draftOf(email).subject)).toEqual(["Hello", "Own"]);
    expect(draftOf(emails[0]).from).toEqual({ name: "Shop", address: "shop@app.example" });
  });

  test("responds without ids in sandbox mode", async () => {
    const { call, emails } = open();
    const response = await call("POST /v3.1/send", { SandboxMode: true, Messages: [message] });
    expect(resultsOf(response)[0]).toMatchObject({ Status: "success", To: [{ MessageUUID: "", MessageID: 0 }] });
    expect(emails).toEqual([]);
  });

  test("interprets the template language of the parts with the variables", async () => {
    const { send, templateJobs, emails } = open();
    await send({ ...message, TextPart: "{{var:code}}", TemplateLanguage: true, Variables: { code: 1 } });
    await send({ ...message, TextPart: "{{var:code}}", Variables: { code: 1 } });
    expect(templateJobs[0]).toMatchObject({ sources: { subject: "Hello", text: "{{var:code}}" }, data: { code: 1 } });
    expect(templateJobs).toHaveLength(1);
    expect(emails.map((email) => draftOf(email).text)).toEqual(['{{var:code}}|{"code":1}', "{{var:code}}"]);
  });

  test("delivers a message with an error in the template language only with TemplateErrorDeliver", async () => {
    const opened = memoryServices();
    const fields = [{ field: "text", description: "unknown variable", code: "invalid" as const }];
    const renderTemplates = async (): Promise<never> => Promise.reject(new Problem("invalid_request", { fields }));
    const services = { ...opened.services, renderTemplates };
    const given = { ...message, TextPart: "{{var:code}}", TemplateLanguage: true };
    const messages = [given, { ...given, TemplateErrorDeliver: true }];
    const request = mailjetRequest("POST /v3.1/send", { Messages: messages }, validKey);
    const results = resultsOf(await callEndpoint(mailjet, request, services));
    expect(results).toMatchObject([
      { Status: "error", Errors: [{ ErrorCode: "template-language", ErrorMessage: "text: unknown variable" }] },
      { Status: "success" },
    ]);
    expect(opened.emails.map((email) => draftOf(email).text)).toEqual(["{{var:code}}"]);
  });

  test("adds the Sender as a header field and as the envelope sender", async () => {
    const { send, emails } = open();
    await send({ ...message, Sender: { Email: "mailer@app.example" } });
    expect(emails[0]?.mailFrom).toBe("mailer@app.example");
    expect(draftOf(emails[0]).headers).toEqual([["Sender", "mailer@app.example"]]);
  });

  test("responds to an unknown key and to another path with Mailjet's errors", async () => {
    const { services, call } = open();
    const response = await callEndpoint(mailjet, mailjetRequest("POST /v3.1/send", {}, "unknown"), services);
    expect(response.status).toBe(401);
    expect(jsonOf(response)).toMatchObject({
      StatusCode: 401,
      ErrorMessage:
        "API key authentication/authorization failure. You may be unauthorized to access the API or your API key may be expired. Visit API keys management section to check your keys.",
    });
    expect(jsonOf(await call("GET /v3/REST/message/1"))).toEqual({
      ErrorInfo: "",
      ErrorMessage: "Object not found",
      StatusCode: 404,
    });
  });
});

describe("POST /v3/send", () => {
  const flat = { FromEmail: "shop@app.example", FromName: "Shop", Subject: "Hello", "Text-part": "Hello" };

  test("sends a message of its own to every recipient", async () => {
    const { call, emails } = open();
    const recipients = [
      { Email: "a@shop.example", Vars: { code: 1 } },
      { Email: "b@shop.example", Name: "B" },
    ];
    const response = await call("POST /v3/send", {
      ...flat,
      "MJ-TemplateLanguage": "True",
      Vars: { code: 2 },
      Recipients: recipients,
    });
    expect(jsonOf(response)["Sent"]).toEqual(
      emails.map(({ uuid, recipients: [address] }) => ({
        Email: address,
        MessageID: messageIdOf(uuid),
        MessageUUID: uuid,
      })),
    );
    expect(emails.map((email) => draftOf(email).text)).toEqual(['Hello|{"code":1}', 'Hello|{"code":2}']);
  });

  test("sends one message to To, Cc and Bcc, with files and Reply-To", async () => {
    const { call, emails } = open();
    await call("POST /v3/send", {
      ...flat,
      To: "A <a@shop.example>, b@shop.example",
      Cc: "c@shop.example",
      Headers: { "Reply-To": "help@app.example", "X-Order": "1" },
      Attachments: [{ "Content-type": "text/plain", Filename: "a.txt", content: "aGk=" }],
      Inline_attachments: [{ "Content-type": "image/png", Filename: "logo.png", Content: "aGk=" }],
      "Mj-CustomID": "order-1",
    });
    expect(emails[0]?.recipients).toEqual(["a@shop.example", "b@shop.example", "c@shop.example"]);
    const { replyTo, headers, attachments } = draftOf(emails[0]);
    expect([replyTo[0]?.address, headers]).toEqual(["help@app.example", [["X-Order", "1"]]]);
    expect(attachments.map(({ fileName, contentId }) => [fileName, contentId])).toEqual([
      ["a.txt", null],
      ["logo.png", "logo.png"],
    ]);
    expect(emails[0]?.facts.metadata).toEqual({ CustomID: "order-1" });
  });

  test.each<[string, object, string]>([
    ["without a sender", { FromEmail: undefined }, "At least FromEmail or Sender must be provided"],
    ["with an invalid recipient", { To: "nobody" }, '"nobody" is an invalid email address.'],
    ["with an invalid file", { Attachments: [{}] }, "Missing mandatory property. (attachments[0].content-type)"],
  ])("rejects a message %s", async (_name, changes, text) => {
    const { call, emails } = open();
    const response = await call("POST /v3/send", { To: "a@shop.example", ...flat, ...changes });
    expect(jsonOf(response)).toEqual({ ErrorInfo: "", ErrorMessage: text, StatusCode: 400 });
    expect(emails).toEqual([]);
  });

  test("stores all messages of a request or none", async () => {
    const { call, emails } = open();
    const messages = [
      { ...flat, To: "a@shop.example" },
      { ...flat, To: "nobody" },
    ];
    expect((await call("POST /v3/send", { Messages: messages })).status).toBe(400);
    expect(emails).toEqual([]);
    await call("POST /v3/send", { Messages: messages.slice(0, 1) });
    expect(emails).toHaveLength(1);
  });
});

describe("messages", () => {
  test("are read by MessageID and MessageUUID", async () => {
    const { send, call, emails } = open();
    await send(message);
    const uuid = emails[0]?.uuid ?? "";
    for (const id of [uuid, String(messageIdOf(uuid))]) {
      const response = await call(`GET /v3/REST/message/${id}?ShowSubject=true`);
      expect(dataOf(response)).toMatchObject([{ ID: messageIdOf(uuid), UUID: uuid, Subject: "Hello", Status: "sent" }]);
      expect(dataOf(await call(`GET /v3/REST/messagehistory/${id}`))).toMatchObject([{ EventType: "sent" }]);
    }
  });

  test("are listed by CustomID, with limit and offset", async () => {
    const { send, call } = open();
    for (const id of ["a", "b", "b"]) await send({ ...message, CustomID: id });
    expect(jsonOf(await call("GET /v3/REST/message?CustomID=b&Limit=1"))).toMatchObject({ Count: 1, Total: 2 });
    expect(dataOf(await call("GET /v3/REST/message?Offset=2"))).toHaveLength(1);
    expect((await call("GET /v3/REST/message?Limit=x")).status).toBe(400);
  });
});

describe("templates", () => {
  test("are created, changed and deleted with their content", async () => {
    const { call } = open();
    const created = await call("POST /v3/REST/template", { Name: "Welcome", Author: "Ada" });
    const [{ ID: id } = { ID: 0 }] = dataOf(created);
    expect([created.status, dataOf(created)]).toMatchObject([201, [{ Name: "Welcome", Author: "Ada" }]]);
    const path = `/v3/REST/template/${String(id)}` as const;
    expect((await call(`POST ${path}/detailcontent`, { "Html-part": "<p>1</p>" })).status).toBe(201);
    await call(`PUT ${path}/detailcontent`, { "Text-part": "1", Headers: { Subject: "Hi" } });
    expect(dataOf(await call(`GET ${path}/detailcontent`))).toEqual([
      { Headers: { Subject: "Hi" }, "Html-part": "<p>1</p>", "Text-part": "1", MJMLContent: "" },
    ]);
    expect(jsonOf(await call("POST /v3/REST/template", { Name: "Welcome" }))).toMatchObject({
      ErrorMessage: 'MJ18 A Template resource with value "Welcome" for Name already exists.',
    });
    expect(dataOf(await call(`PUT ${path}`, { Name: "Hello" }))).toMatchObject([{ Name: "Hello", Author: "Ada" }]);
    expect(jsonOf(await call("GET /v3/REST/template?Name=Hello"))).toMatchObject({ Count: 1, Total: 1 });
    expect(await call(`DELETE ${path}`)).toEqual({ status: 204, body: null });
    expect((await call(`GET ${path}`)).status).toBe(404);
  });

  test("set the subject, the sender and Reply-To of messages", async () => {
    const { call, send, emails } = open();
    const [{ ID: id } = { ID: 0 }] = dataOf(await call("POST /v3/REST/template", { Name: "Welcome" }));
    const headers = { Subject: "Hi", From: '"Team" <team@app.example>', "Reply-to": "help@app.example" };
    await call(`POST /v3/REST/template/${String(id)}/detailcontent`, { "Html-part": "<p>1</p>", Headers: headers });
    await send({ To: message.To, TemplateID: id });
    expect(draftOf(emails[0])).toMatchObject({
      from: { name: "Team", address: "team@app.example" },
      replyTo: [{ address: "help@app.example" }],
      subject: "Hi",
      html: "<p>1</p>",
    });
    const response = await send({ ...message, TemplateID: id, HTMLPart: "<p>2</p>" });
    expect(resultsOf(response)[0]?.Errors?.[0]?.ErrorCode).toBe("send-0004");
  });
});
