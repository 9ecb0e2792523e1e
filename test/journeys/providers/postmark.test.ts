/** Mail through the Postmark-compatible API over real sockets, with the unmodified library. */
import { Errors, Models, ServerClient } from "postmark";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "a-key-for-journeys";
const server = "mark1234" as ServerId;
const To = `Ada <ada@${server}.restante.test>`;
const From = "Shöp <app@shop.example>";

let stop: SilentService["stop"];
let service: RunningService;
let client: ServerClient;

beforeAll(async () => {
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Mark" }],
  }));
  client = clientWith(key);
});
afterAll(async () => {
  await stop();
});

function clientWith(token: string): ServerClient {
  const requestHost = `${new URL(service.url).host}/providers/postmark`;
  return new ServerClient(token, { requestHost, useHttps: false });
}

async function get<Answer>(path: string): Promise<Answer> {
  return (await (await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })).json()) as Answer;
}

async function stored(): Promise<readonly Message[]> {
  return get<Message[]>(`/api/messages?server=${server}`);
}

test("the library sends a mail with every field, and the interface returns it", async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
  const sent = await client.sendEmail({
    From,
    To,
    Bcc: `hidden@${server}.restante.test`,
    ReplyTo: "help@shop.example",
    Subject: "Ваш код 482913",
    TextBody: "482913",
    HtmlBody: '<p>Code <b>482913</b></p><img src="cid:logo">',
    Tag: "welcome",
    Metadata: { user: "42" },
    Headers: [{ Name: "X-Order", Value: "4711" }],
    MessageStream: "outbound",
    TrackOpens: true,
    TrackLinks: Models.LinkTrackingOptions.None,
    Attachments: [
      { Name: "März.dat", Content: bytes.toString("base64"), ContentType: "application/octet-stream", ContentID: null },
      { Name: "l.png", Content: bytes.toString("base64"), ContentType: "image/png", ContentID: "cid:logo" },
    ],
  });
  expect(sent).toMatchObject({ To, ErrorCode: 0, Message: "OK" });
  const message = await get<Message>(`/api/messages/${sent.MessageID}`);
  expect(message).toMatchObject({
    from: [{ name: "Shöp", email: "app@shop.example" }],
    to: [{ name: "Ada" }],
    bcc: [{ email: `hidden@${server}.restante.test` }],
    subject: "Ваш код 482913",
    html: { codes: [{ value: "482913" }] },
    provider: { name: "postmark", id: sent.MessageID, tags: ["welcome"], metadata: { user: "42" } },
  });
  expect(message.attachments.map(({ fileName, length }) => [fileName, length])).toEqual([
    ["l.png", 256],
    ["März.dat", 256],
  ]);
  const fields = message.metadata.headers.map(({ field, value }) => `${field}: ${value}`);
  expect(fields).toEqual(
    expect.arrayContaining([
      "X-Order: 4711",
      `Message-ID: <${sent.MessageID}@mtasv.net>`,
      "Reply-To: help@shop.example",
    ]),
  );
});

test("the library finds sent messages, their details and their source", async () => {
  const { MessageID } = await client.sendEmail({ From, To, Subject: "Find me", TextBody: "Hi", Tag: "found" });
  const { Messages, TotalCount } = await client.getOutboundMessages({ tag: "found", subject: "find" });
  expect([Number(TotalCount), Messages.map((one) => one.MessageID)]).toEqual([1, [MessageID]]);
  expect(await client.getOutboundMessageDetails(MessageID)).toMatchObject({
    Subject: "Find me",
    From: '"Shöp" <app@shop.example>',
    Recipients: [`ada@${server}.restante.test`],
    TextBody: expect.stringContaining("Hi") as string,
    Status: "Sent",
  });
  expect((await client.getOutboundMessageDump(MessageID)).Body).toContain(`Message-ID: <${MessageID}@mtasv.net>`);
  expect((await client.getBounces()).TotalCount).toBe(0);
  expect((await client.getServer()).ID).toBe(1);
});

test("the library sends a batch, of which each mail is accepted or rejected by itself", async () => {
  const before = (await stored()).length;
  const mail = { From, To, Subject: "Batch", TextBody: "Hi" };
  const results = await client.sendEmailBatch([mail, { ...mail, To: "nobody" }, mail]);
  expect(results.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 0]);
  expect(await stored()).toHaveLength(before + 2);
});

test("the library throws its typed errors, and nothing is stored", async () => {
  const before = (await stored()).length;
  const mail = { From, To, Subject: "Hello", TextBody: "Hi" };
  const failure = async (sending: Promise<unknown>): Promise<unknown> => sending.catch((error: unknown) => error);
  const invalid = await failure(client.sendEmail({ ...mail, To: "nobody" }));
  expect(invalid).toBeInstanceOf(Errors.InvalidEmailRequestError);
  expect(invalid).toMatchObject({ code: 300, statusCode: 422, message: "Invalid 'To' address: 'nobody'." });
  const inactive = await failure(
    client.sendEmail({ ...mail, To: "ManuallyDeactivated@bounce-testing.postmarkapp.com" }),
  );
  expect(inactive).toBeInstanceOf(Errors.InactiveRecipientsError);
  expect(inactive).toMatchObject({ code: 406, recipients: ["manuallydeactivated@bounce-testing.postmarkapp.com"] });
  expect(await failure(clientWith("wrong").sendEmail(mail))).toBeInstanceOf(Errors.InvalidAPIKeyError);
  expect(await stored()).toHaveLength(before);
});

test("the test token accepts mail and stores nothing", async () => {
  const before = (await stored()).length;
  const tester = clientWith("POSTMARK_API_TEST");
  const sent = await tester.sendEmail({ From, To, Subject: "Test", TextBody: "Hi" });
  expect(sent.Message).toBe("Test job accepted");
  expect(await stored()).toHaveLength(before);
});

test("templates are rendered in their layout", async () => {
  const layout = await client.createTemplate({
    Name: "Frame",
    TemplateType: Models.TemplateTypes.Layout,
    HtmlBody: "<main>{{{@content}}}</main>",
  });
  const { TemplateId } = await client.createTemplate({
    Name: "Welcome",
    Alias: "welcome",
    Subject: "Welcome {{name}}",
    HtmlBody: "{{#each items}}<i>{{this}}</i>{{/each}}",
    LayoutTemplate: layout.Alias ?? "",
  });
  const TemplateModel = { name: "Zoë", items: ["<a>", "b"] };
  const sent = await client.sendEmailWithTemplate({ From, To, TemplateAlias: "welcome", TemplateModel });
  const message = await get<Message>(`/api/messages/${sent.MessageID}`);
  expect(message.subject).toBe("Welcome Zoë");
  expect(message.html.body).toContain("<main><i>&lt;a&gt;</i><i>b</i></main>");
  expect(message.provider?.template).toEqual({ id: "welcome", data: TemplateModel });
  expect((await client.getTemplates()).TotalCount).toBe(2);
  await client.deleteTemplate(TemplateId);
  await expect(client.sendEmailWithTemplate({ From, To, TemplateId, TemplateModel })).rejects.toMatchObject({
    code: 1101,
  });
});
