import {
  CreateConfigurationSetCommand,
  CreateEmailIdentityCommand,
  CreateEmailTemplateCommand,
  DeleteConfigurationSetCommand,
  DeleteEmailIdentityCommand,
  DeleteEmailTemplateCommand,
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetEmailIdentityCommand,
  GetEmailTemplateCommand,
  ListConfigurationSetsCommand,
  ListEmailIdentitiesCommand,
  ListEmailTemplatesCommand,
  SendBulkEmailCommand,
  SendEmailCommand,
  SESv2Client,
  TestRenderEmailTemplateCommand,
  UpdateEmailTemplateCommand,
  type SendEmailCommandInput,
} from "@aws-sdk/client-sesv2";
import nodemailer from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { serveProvider, type ServedProvider } from "../conformance/serve-provider.test-aid.ts";
import { memoryServices, validKey, type KeptEmail } from "../conformance/services.test-aid.ts";
import { uuidOfMessageId } from "./errors.ts";
import { ses } from "./provider.ts";
import { restRequest } from "./samples.test-aid.ts";

let served: ServedProvider;
let client: SESv2Client;

beforeAll(async () => {
  served = await serveProvider(ses);
  client = openClient(validKey);
});
beforeEach(() => served.memory.emails.splice(0));
afterAll(async () => {
  client.destroy();
  await served.close();
});

function openClient(accessKeyId: string, region = "us-east-1"): SESv2Client {
  const credentials = { accessKeyId, secretAccessKey: "secret" };
  return new SESv2Client({ endpoint: served.url, region, credentials, maxAttempts: 1 });
}

function only(): KeptEmail {
  expect(served.memory.emails).toHaveLength(1);
  return served.memory.emails[0] as KeptEmail;
}

const draftOf = ({ content }: KeptEmail): EmailDraft => content as EmailDraft;
const rawOf = ({ content }: KeptEmail): string => Buffer.from(content as Uint8Array).toString("utf8");

const simple: SendEmailCommandInput = {
  FromEmailAddress: "App <app@shop.example>",
  Destination: { ToAddresses: ["zoe@shop.example"] },
  Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "Hello Zoë" } } } },
};

/** Returns name, message and status of the error that a command rejects with. */
async function errorOf(sent: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await sent.catch((one: unknown) => one);
  const { name, message, $metadata } = error as Error & { $metadata: { httpStatusCode: number; requestId: string } };
  expect($metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
  return [name, message, $metadata.httpStatusCode];
}

const send = async (changes: Partial<SendEmailCommandInput>) =>
  client.send(new SendEmailCommand({ ...simple, ...changes }));

describe("SendEmail of version 2", () => {
  test("returns the id that the Message-ID field and the UUID carry", async () => {
    const { MessageId = "" } = await openClient(validKey, "eu-west-1").send(new SendEmailCommand(simple));
    const email = only();
    expect(MessageId).toMatch(/^0100[0-9a-f]{12}-[0-9a-f-]{36}-000000$/);
    expect(uuidOfMessageId(MessageId)).toBe(email.uuid);
    expect(email.messageId).toBe(`<${MessageId}@eu-west-1.amazonses.com>`);
  });

  test("submits the return path, tags and the configuration set", async () => {
    await send({
      FeedbackForwardingEmailAddress: "bounces@shop.example",
      EmailTags: [
        { Name: "campaign", Value: "spring" },
        { Name: "ses:feedback-id-a", Value: "x" },
      ],
      ConfigurationSetName: "events",
      ListManagementOptions: { ContactListName: "news" },
    });
    expect(only()).toMatchObject({
      mailFrom: "bounces@shop.example",
      facts: {
        tags: ["campaign=spring", "ses:feedback-id-a=x"],
        metadata: { campaign: "spring", "ses:feedback-id-a": "x", "ses:configuration-set": "events" },
      },
    });
  });

  test("takes the type of an attachment without one from the extension of its name", async () => {
    const attachments = ["a.PDF", "b.unknown", "c"].map((FileName) => ({ FileName, RawContent: Buffer.from("x") }));
    await send({ Content: { Simple: { ...simple.Content?.Simple, Attachments: attachments } as never } });
    const types = draftOf(only()).attachments.map(({ contentType }) => contentType);
    expect(types).toEqual(["application/pdf", "application/octet-stream", "application/octet-stream"]);
  });

  test("stores a raw mail to the byte and takes what is missing from its fields", async () => {
    const raw = [
      "From: App <app@shop.example>",
      "To: zoe@shop.example, Group: a@shop.example;",
      "Bcc: hidden@shop.example",
      "X-SES-MESSAGE-TAGS: campaign=spring, kind=a",
      "X-SES-CONFIGURATION-SET: events",
      "Subject: Hello",
      "",
      "Hello Zoë",
    ].join("\r\n");
    await client.send(new SendEmailCommand({ Content: { Raw: { Data: Buffer.from(raw) } } }));
    expect(rawOf(only())).toBe(raw);
    expect(only()).toMatchObject({
      mailFrom: "app@shop.example",
      recipients: ["zoe@shop.example", "a@shop.example", "hidden@shop.example"],
      facts: { tags: ["campaign=spring", "kind=a"], metadata: { "ses:configuration-set": "events" } },
    });
  });

  test.each<[string, Partial<SendEmailCommandInput>, readonly [code: string, message: string]]>([
    ["no @", { Destination: { ToAddresses: ["zoe"] } }, ["BadRequestException", "Missing final '@domain'"]],
    ["an empty address", { Destination: { ToAddresses: [""] } }, ["BadRequestException", "Invalid email address ."]],
    ["no domain", { Destination: { ToAddresses: ["zoe@"] } }, ["BadRequestException", "Missing domain"]],
    [
      "two addresses",
      { Destination: { ToAddresses: ["a@b.example, c@d.example"] } },
      ["BadRequestException", "Illegal address"],
    ],
    [
      "a non-ASCII address",
      { Destination: { ToAddresses: ["zoë@b.example"] } },
      ["BadRequestException", "Illegal address"],
    ],
    ["no sender", { FromEmailAddress: undefined }, ["BadRequestException", "Source cannot be empty"]],
    [
      "51 recipients",
      { Destination: { CcAddresses: Array.from({ length: 51 }, (_, at) => `a${String(at)}@b.example`) } },
      ["BadRequestException", "Recipient count exceeds 50."],
    ],
    [
      "a colon in a tag",
      { EmailTags: [{ Name: "a", Value: "b:c" }] },
      ["BadRequestException", "Invalid tag value <b:c>: only alphanumeric ASCII characters, '_', and '-' are allowed."],
    ],
    [
      "a raw mail without From",
      { Content: { Raw: { Data: Buffer.from("To: a@b.example\r\n\r\nx") } } },
      ["BadRequestException", "Missing required header 'From'."],
    ],
    [
      "a raw mail with two Subject fields",
      { Content: { Raw: { Data: Buffer.from("From: a@b.example\r\nSubject: x\r\nsubject: y\r\n\r\nx") } } },
      ["BadRequestException", "Duplicate header 'subject'."],
    ],
    [
      "a sender that cannot be verified",
      { FromEmailAddress: "invalid@invalid" },
      [
        "MessageRejected",
        "Email address is not verified. The following identities failed the check in region US-EAST-1: invalid@invalid",
      ],
    ],
  ])("rejects %s", async (_name, changes, error) => {
    expect(await errorOf(send(changes))).toEqual([...error, 400]);
    expect(served.memory.emails).toEqual([]);
  });

  test("rejects an unknown key and a request without one", async () => {
    const unknown = openClient("AKIAUNKNOWN").send(new SendEmailCommand(simple));
    const invalid = "The security token included in the request is invalid.";
    expect(await errorOf(unknown)).toEqual(["UnrecognizedClientException", invalid, 403]);
    const response = await fetch(`${served.url}/v2/email/outbound-emails`, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("x-amzn-errortype"), await response.json()]).toEqual([
      403,
      "MissingAuthenticationTokenException",
      { message: "Missing Authentication Token" },
    ]);
  });

  test("accepts the key of a presigned request", async () => {
    const query = new URLSearchParams({ "X-Amz-Credential": `${validKey}/20261120/us-east-1/ses/aws4_request` });
    const url = `${served.url}/v2/email/outbound-emails?${query.toString()}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(simple) });
    expect(response.status).toBe(200);
  });
});

describe("templates of version 2", () => {
  const content = { Subject: "Hello {{name}}", Text: "Plain {{name}}\r\n", Html: "<p>{{name}}</p>" };

  test("are stored, listed, replaced, rendered and deleted", async () => {
    await client.send(new CreateEmailTemplateCommand({ TemplateName: "welcome", TemplateContent: content }));
    const again = client.send(new CreateEmailTemplateCommand({ TemplateName: "welcome", TemplateContent: content }));
    expect((await errorOf(again))[0]).toBe("AlreadyExistsException");
    expect(await client.send(new GetEmailTemplateCommand({ TemplateName: "welcome" }))).toMatchObject({
      TemplateName: "welcome",
      TemplateContent: content,
    });
    await client.send(new UpdateEmailTemplateCommand({ TemplateName: "welcome", TemplateContent: { Subject: "Hi" } }));
    const { TemplatesMetadata = [] } = await client.send(new ListEmailTemplatesCommand({ PageSize: 10 }));
    expect(TemplatesMetadata.map(({ TemplateName }) => TemplateName)).toEqual(["welcome"]);
    expect(TemplatesMetadata[0]?.CreatedTimestamp).toEqual(new Date(served.memory.now));
    const render = new TestRenderEmailTemplateCommand({ TemplateName: "welcome", TemplateData: '{"name":"Zoë"}' });
    expect((await client.send(render)).RenderedTemplate).toMatch(/^Date: .*\r\nMessage-ID: <.*>\r\nSubject: /);
    await client.send(new DeleteEmailTemplateCommand({ TemplateName: "welcome" }));
    const missing = await errorOf(client.send(new GetEmailTemplateCommand({ TemplateName: "welcome" })));
    expect(missing).toEqual(["NotFoundException", "Template welcome does not exist.", 404]);
  });

  test("are rendered for each destination of a bulk mail with its data, tags and header fields", async () => {
    const { BulkEmailEntryResults = [] } = await client.send(
      new SendBulkEmailCommand({
        FromEmailAddress: "app@shop.example",
        DefaultEmailTags: [{ Name: "campaign", Value: "spring" }],
        DefaultContent: {
          Template: {
            TemplateContent: content,
            TemplateData: '{"name":"friend","shop":"A"}',
            Headers: [{ Name: "X-A", Value: "1" }],
          },
        },
        BulkEmailEntries: [
          { Destination: { ToAddresses: ["zoe@shop.example"] } },
          { Destination: { ToAddresses: ["nobody"] } },
          {
            Destination: { ToAddresses: ["max@shop.example"] },
            ReplacementTags: [{ Name: "campaign", Value: "autumn" }],
            ReplacementHeaders: [{ Name: "x-a", Value: "2" }],
            ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{"name":"Max"}' } },
          },
        ],
      }),
    );
    const { emails } = served.memory;
    expect(BulkEmailEntryResults).toEqual([
      { Status: "SUCCESS", MessageId: emails[0]?.providerId },
      { Status: "INVALID_PARAMETER", Error: "Missing final '@domain'" },
      { Status: "SUCCESS", MessageId: emails[1]?.providerId },
    ]);
    expect(emails.map((one) => [one.facts.metadata["campaign"], draftOf(one).headers, draftOf(one).text])).toEqual([
      ["spring", [["X-A", "1"]], `${content.Text}|{"name":"friend","shop":"A"}`],
      ["autumn", [["x-a", "2"]], `${content.Text}|{"name":"Max","shop":"A"}`],
    ]);
  });

  test("are rejected when a variable has no value", async () => {
    const { services } = memoryServices();
    const text = '"name" not defined in [object Object] - 1:5';
    const fields = [{ field: "html", description: text, code: "invalid" }] as const;
    const renderTemplates = async () => Promise.reject(new Problem("invalid_request", { fields }));
    const TemplateContent = { Subject: "Hello", Html: "{{name}}" };
    const body = { ...simple, Content: { Template: { TemplateContent, TemplateData: "{}" } } };
    const request = restRequest("POST /v2/email/outbound-emails", body, validKey);
    const response = await callEndpoint(ses, request, { ...services, renderTemplates });
    const message = "Attribute 'name' is not present in the rendering data.";
    expect([response.status, jsonOf(response)]).toEqual([400, { message }]);
  });

  test("are rejected with invalid data, or when they are not stored", async () => {
    const sendTemplate = async (Template: NonNullable<SendEmailCommandInput["Content"]>["Template"]) =>
      errorOf(send({ Content: { Template } }));
    expect(await sendTemplate({ TemplateName: "missing", TemplateData: "{}" })).toEqual([
      "NotFoundException",
      "Template missing does not exist.",
      404,
    ]);
    expect((await sendTemplate({ TemplateContent: content, TemplateData: "{" }))[0]).toBe("BadRequestException");
    expect(served.memory.emails).toEqual([]);
  });
});

test("identities, configuration sets and the account have the shapes that the SDK reads", async () => {
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: "shop.example" }));
  await client.send(new CreateEmailIdentityCommand({ EmailIdentity: "zoe+a@shop.example" }));
  const again = await errorOf(client.send(new CreateEmailIdentityCommand({ EmailIdentity: "shop.example" })));
  expect(again[0]).toBe("AlreadyExistsException");
  expect(await client.send(new GetEmailIdentityCommand({ EmailIdentity: "zoe+a@shop.example" }))).toMatchObject({
    IdentityType: "EMAIL_ADDRESS",
    VerifiedForSendingStatus: true,
  });
  const first = await client.send(new ListEmailIdentitiesCommand({ PageSize: 1 }));
  expect(first.EmailIdentities).toMatchObject([{ IdentityName: "shop.example", IdentityType: "DOMAIN" }]);
  const rest = await client.send(new ListEmailIdentitiesCommand({ PageSize: 1, NextToken: first.NextToken }));
  expect([rest.EmailIdentities?.map(({ IdentityName }) => IdentityName), rest.NextToken]).toEqual([
    ["zoe+a@shop.example"],
    undefined,
  ]);
  await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: "shop.example" }));
  const missing = await errorOf(client.send(new GetEmailIdentityCommand({ EmailIdentity: "shop.example" })));
  expect(missing[0]).toBe("NotFoundException");

  await client.send(new CreateConfigurationSetCommand({ ConfigurationSetName: "events" }));
  expect(await client.send(new GetConfigurationSetCommand({ ConfigurationSetName: "events" }))).toMatchObject({
    ConfigurationSetName: "events",
  });
  expect((await client.send(new ListConfigurationSetsCommand({}))).ConfigurationSets).toEqual(["events"]);
  await client.send(new DeleteConfigurationSetCommand({ ConfigurationSetName: "events" }));

  const account = await client.send(new GetAccountCommand({}));
  expect(account).toMatchObject({ ProductionAccessEnabled: true, SendingEnabled: true, EnforcementStatus: "HEALTHY" });
});

test.each(["templates", "identities", "configuration-sets"])(
  "asks the store for no %s with names that cannot exist",
  async (kind) => {
    const { services } = memoryServices();
    const session = await services.authenticate(validKey, "send");
    const objects = {
      ...session.objects,
      get: async () => expect.unreachable(),
      remove: async () => expect.unreachable(),
    };
    const watched = { ...services, authenticate: async () => ({ ...session, objects }) };
    for (const name of ["a\u0000", "a\ud800", "x".repeat(201), " "]) {
      for (const method of ["GET", "DELETE"] as const) {
        const path = `/v2/email/${kind}/:name`;
        const endpoint = ses.endpoints.find((one) => one.method === method && one.path.startsWith(path.slice(0, -4)));
        const request = {
          ...restRequest(`${method} /v2/email/${kind}/x`, {}, validKey),
          params: { TemplateName: name, EmailIdentity: name, ConfigurationSetName: name },
        };
        expect((await endpoint?.handle(request, watched))?.status).toBe(404);
      }
    }
  },
);

test("nodemailer's transport sends a raw mail, and verifies without storing one", async () => {
  const transport = nodemailer.createTransport({ SES: { sesClient: client, SendEmailCommand } });
  const info = await transport.sendMail({
    from: "Ærø <app@shop.example>",
    to: "zoe@shop.example",
    bcc: "hidden@shop.example",
    subject: "Hello ✓",
    text: "Hello Zoë",
    ses: { EmailTags: [{ Name: "campaign", Value: "spring" }] },
  });
  expect(info.messageId).toBe(`<${only().providerId}@email.amazonses.com>`);
  expect(only()).toMatchObject({
    mailFrom: "app@shop.example",
    recipients: ["zoe@shop.example", "hidden@shop.example"],
    facts: { tags: ["campaign=spring"] },
  });
  expect(rawOf(only())).toContain("Hello Zo=C3=AB");
  expect(await transport.verify()).toBe(true);
  expect(served.memory.emails).toHaveLength(1);
});
