/** Mail through the APIs of Amazon SES over real sockets, with unmodified SDKs that only environment variables lead here. */
import { SESClient, SendEmailCommand as SendQueryCommand, SendRawEmailCommand } from "@aws-sdk/client-ses";
import {
  CreateEmailTemplateCommand,
  SendBulkEmailCommand,
  SendEmailCommand,
  SESv2Client,
  TestRenderEmailTemplateCommand,
} from "@aws-sdk/client-sesv2";
import nodemailer from "nodemailer";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "AKIAKEYFORJOURNEYS";
const server = "amzn1234" as ServerId;
const to = `ada@${server}.restante.test`;

let stop: SilentService["stop"];
let service: RunningService;
let v2: SESv2Client;
let v1: SESClient;

beforeAll(async () => {
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Amazon" }],
  }));
  vi.stubEnv("AWS_ENDPOINT_URL_SESV2", `${service.url}/providers/ses`);
  vi.stubEnv("AWS_ENDPOINT_URL_SES", `${service.url}/providers/ses`);
  vi.stubEnv("AWS_ACCESS_KEY_ID", key);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not-checked");
  vi.stubEnv("AWS_REGION", "eu-west-1");
  v2 = new SESv2Client({ maxAttempts: 1 });
  v1 = new SESClient({ maxAttempts: 1 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  v1.destroy();
  v2.destroy();
  await stop();
});

async function ask<Answer>(line: string): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  return (await (
    await fetch(service.url + path, { method, headers: { authorization: `Bearer ${key}` } })
  ).json()) as Answer;
}

/** Returns the message that the provider's id leads to. */
async function messageOf(providerId = ""): Promise<Message> {
  const query = new URLSearchParams({ server, provider: "ses", providerId });
  const found = await ask<Message[]>(`GET /api/messages?${query.toString()}`);
  expect(found).toHaveLength(1);
  return ask<Message>(`GET /api/messages/${found[0]?.id ?? ""}`);
}

test("version 2 sends a mail with every field, and the interface returns it", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const { MessageId = "" } = await v2.send(
    new SendEmailCommand({
      FromEmailAddress: "Shöp <app@shop.example>",
      Destination: { ToAddresses: [`Ada <${to}>`], BccAddresses: [`hidden@${server}.restante.test`] },
      ReplyToAddresses: ["help@shop.example"],
      EmailTags: [{ Name: "campaign", Value: "spring" }],
      ConfigurationSetName: "events",
      Content: {
        Simple: {
          Subject: { Data: "Ваш код 482913" },
          Body: { Text: { Data: "Your code is 482913 ✓" }, Html: { Data: '<p>482913</p><img src="cid:logo">' } },
          Headers: [{ Name: "X-Order", Value: "4711" }],
          Attachments: [
            { FileName: "all.bin", RawContent: bytes },
            {
              FileName: "logo.png",
              RawContent: bytes,
              ContentType: "image/png",
              ContentDisposition: "INLINE",
              ContentId: "logo",
            },
          ],
        },
      },
    }),
  );
  const message = await messageOf(MessageId);
  expect(message).toMatchObject({
    subject: "Ваш код 482913",
    from: [{ name: "Shöp", email: "app@shop.example" }],
    to: [{ name: "Ada", email: to }],
    text: { body: expect.stringContaining("482913 ✓") as string, codes: [{ value: "482913" }] },
    provider: {
      name: "ses",
      id: MessageId,
      tags: ["campaign=spring"],
      metadata: { campaign: "spring", "ses:configuration-set": "events" },
    },
  });
  const fields = new Map(message.metadata.headers.map(({ field, value }) => [field.toLowerCase(), value]));
  expect(fields.get("message-id")).toBe(`<${MessageId}@eu-west-1.amazonses.com>`);
  expect([fields.get("x-order"), fields.get("reply-to")]).toEqual(["4711", "help@shop.example"]);
  for (const { url } of message.attachments) {
    const file = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
  }
  expect(message.attachments.map(({ fileName }) => fileName).toSorted()).toEqual(["all.bin", "logo.png"]);
});

test("a stored template is rendered, also for each destination of a bulk mail", async () => {
  const TemplateContent = {
    Subject: "Hello {{name}}",
    Text: "{{#if vip}}VIP {{/if}}{{name}}",
    Html: "<p>{{name}}</p>",
  };
  await v2.send(new CreateEmailTemplateCommand({ TemplateName: "welcome", TemplateContent }));
  const { RenderedTemplate } = await v2.send(
    new TestRenderEmailTemplateCommand({ TemplateName: "welcome", TemplateData: '{"name":"<Ada>"}' }),
  );
  expect(RenderedTemplate).toContain("<p>&lt;Ada&gt;</p>");
  const { BulkEmailEntryResults = [] } = await v2.send(
    new SendBulkEmailCommand({
      FromEmailAddress: "app@shop.example",
      DefaultContent: { Template: { TemplateName: "welcome", TemplateData: '{"name":"friend"}' } },
      BulkEmailEntries: [
        { Destination: { ToAddresses: [to] } },
        {
          Destination: { ToAddresses: [to] },
          ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{"name":"Ada","vip":true}' } },
        },
      ],
    }),
  );
  expect(BulkEmailEntryResults.map(({ Status }) => Status)).toEqual(["SUCCESS", "SUCCESS"]);
  const messages = await Promise.all(BulkEmailEntryResults.map(async ({ MessageId }) => messageOf(MessageId)));
  expect(messages.map(({ subject, text }) => [subject, text.body?.trim()])).toEqual([
    ["Hello friend", "friend"],
    ["Hello Ada", "VIP Ada"],
  ]);
  expect(messages[1]?.provider?.template).toEqual({ id: "welcome", data: { name: "Ada", vip: true } });
});

test("version 1 sends a composed and a raw mail", async () => {
  const composed = await v1.send(
    new SendQueryCommand({
      Source: "app@shop.example",
      Destination: { ToAddresses: [to] },
      Message: { Subject: { Data: "Grüße + 100 % & mehr" }, Body: { Text: { Data: "a=1&b=2" } } },
    }),
  );
  expect(await messageOf(composed.MessageId)).toMatchObject({ subject: "Grüße + 100 % & mehr" });
  const Data = Buffer.from(`From: app@shop.example\r\nTo: ${to}\r\nSubject: Raw\r\n\r\nHello\r\n`);
  const raw = await v1.send(new SendRawEmailCommand({ RawMessage: { Data } }));
  const { id } = await messageOf(raw.MessageId);
  const stored = await fetch(`${service.url}/api/files/email/${id}`, { headers: { authorization: `Bearer ${key}` } });
  expect(await stored.text()).toBe(
    `Message-ID: <${raw.MessageId ?? ""}@eu-west-1.amazonses.com>\r\n${Data.toString()}`,
  );
});

test("nodemailer's transport sends and verifies", async () => {
  const transport = nodemailer.createTransport({ SES: { sesClient: v2, SendEmailCommand } });
  const mail = { from: "app@shop.example", to, subject: "Nodemailer ✓", text: "Hi" };
  const { response, messageId } = await transport.sendMail(mail);
  const { subject, metadata } = await messageOf(response);
  expect(subject).toBe("Nodemailer ✓");
  expect(metadata.headers).toContainEqual({ field: "Message-ID", value: messageId });
  expect(await transport.verify()).toBe(true);
});

test("errors are the typed errors of the SDKs, and nothing is stored", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  const Content = { Template: { TemplateName: "missing", TemplateData: "{}" } };
  const from = { FromEmailAddress: "app@shop.example", Destination: { ToAddresses: [to] } };
  await expect(v2.send(new SendEmailCommand({ ...from, Content }))).rejects.toMatchObject({
    name: "NotFoundException",
    $metadata: { httpStatusCode: 404 },
  });
  const unverified = { ...from, FromEmailAddress: "app@app.invalid" };
  const Simple = { Subject: { Data: "x" }, Body: { Text: { Data: "x" } } };
  await expect(v2.send(new SendEmailCommand({ ...unverified, Content: { Simple } }))).rejects.toMatchObject({
    name: "MessageRejected",
  });
  const incomplete = { Source: "app@shop.example", Destination: { ToAddresses: ["nobody"] }, Message: Simple };
  await expect(v1.send(new SendQueryCommand(incomplete))).rejects.toMatchObject({
    name: "InvalidParameterValue",
    message: "Missing final '@domain'",
  });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});
