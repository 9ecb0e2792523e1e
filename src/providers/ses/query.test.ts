import {
  CreateConfigurationSetCommand,
  CreateTemplateCommand,
  DeleteIdentityCommand,
  DeleteTemplateCommand,
  DescribeConfigurationSetCommand,
  GetAccountSendingEnabledCommand,
  GetIdentityDkimAttributesCommand,
  GetIdentityVerificationAttributesCommand,
  GetSendQuotaCommand,
  GetSendStatisticsCommand,
  GetTemplateCommand,
  ListConfigurationSetsCommand,
  ListIdentitiesCommand,
  ListTemplatesCommand,
  ListVerifiedEmailAddressesCommand,
  SendBulkTemplatedEmailCommand,
  SendEmailCommand,
  SendRawEmailCommand,
  SendTemplatedEmailCommand,
  SESClient,
  SESServiceException,
  TemplateDoesNotExistException,
  TestRenderTemplateCommand,
  UpdateTemplateCommand,
  VerifyDomainDkimCommand,
  VerifyDomainIdentityCommand,
  VerifyEmailAddressCommand,
  VerifyEmailIdentityCommand,
  type SendEmailCommandInput,
} from "@aws-sdk/client-ses";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { serveProvider, type ServedProvider } from "../conformance/serve-provider.test-aid.ts";
import { memoryServices, validKey } from "../conformance/services.test-aid.ts";
import { ses } from "./provider.ts";
import { queryActionNames } from "./protocols.ts";
import { elementOf, queryRequest } from "./samples.test-aid.ts";

let served: ServedProvider;
let client: SESClient;

beforeAll(async () => {
  served = await serveProvider(ses);
  const credentials = { accessKeyId: validKey, secretAccessKey: "secret" };
  client = new SESClient({ endpoint: served.url, region: "us-east-1", credentials, maxAttempts: 1 });
});
beforeEach(() => served.memory.emails.splice(0));
afterAll(async () => {
  client.destroy();
  await served.close();
});

const mail: SendEmailCommandInput = {
  Source: "App <app@shop.example>",
  Destination: { ToAddresses: ["zoe@shop.example"], BccAddresses: ["hidden@shop.example"] },
  ReplyToAddresses: ["help@shop.example"],
  ReturnPath: "bounces@shop.example",
  Tags: [{ Name: "campaign", Value: "spring" }],
  Message: {
    Subject: { Data: "Grüße & <b>", Charset: "UTF-8" },
    Body: { Text: { Data: "a=1&b=2 + 3 %\r\nZoë" }, Html: { Data: "<p>Zoë</p>" } },
  },
};

/** Returns code, message and status of the service's error that a command rejects with; throws other errors. */
async function errorOf(sent: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await sent.catch((one: unknown) => one);
  if (!(error instanceof SESServiceException)) throw error;
  expect(error.$fault).toBe("client");
  const { Code } = error as { Code?: string };
  return [Code ?? error.name, error.message, error.$metadata.httpStatusCode];
}

describe("sending by version 1", () => {
  test("SendEmail submits all fields", async () => {
    const { MessageId } = await client.send(new SendEmailCommand(mail));
    expect(served.memory.emails).toMatchObject([
      {
        providerId: MessageId,
        mailFrom: "bounces@shop.example",
        recipients: ["zoe@shop.example", "hidden@shop.example"],
        facts: { tags: ["campaign=spring"], metadata: { campaign: "spring" } },
        content: {
          from: { name: "App", address: "app@shop.example" },
          replyTo: [{ address: "help@shop.example" }],
          subject: "Grüße & <b>",
          text: "a=1&b=2 + 3 %\r\nZoë",
          html: "<p>Zoë</p>",
        },
      },
    ]);
  });

  test("SendRawEmail stores the mail to the byte", async () => {
    const raw = Buffer.concat([
      Buffer.from("From: app@shop.example\r\nTo: zoe@shop.example\r\n\r\n"),
      Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256)),
    ]);
    await client.send(new SendRawEmailCommand({ RawMessage: { Data: raw }, Destinations: ["max@shop.example"] }));
    const [email] = served.memory.emails;
    expect(Buffer.from(email?.content as Uint8Array).equals(raw)).toBe(true);
    expect(email?.recipients).toEqual(["max@shop.example"]);
  });

  // Without the SDK, one of whose regular expressions may exceed the call stack for such a mail.
  test("SendRawEmail rejects a mail of more than 10 MB", async () => {
    const fields = [["RawMessage.Data", Buffer.alloc(10 * 1024 * 1024 + 1, "x").toString("base64")]] as const;
    const response = await callEndpoint(ses, queryRequest("SendRawEmail", fields, validKey), memoryServices().services);
    expect([response.status, elementOf(response, "Code"), elementOf(response, "Message")]).toEqual([
      400,
      "InvalidParameterValue",
      "Message length is more than 10485760 bytes long: '10485761'.",
    ]);
  });

  test("SendTemplatedEmail renders a stored template", async () => {
    const Template = { TemplateName: "welcome", SubjectPart: "Hello", TextPart: "Line 1\r\nLine 2 <&>" };
    await client.send(new CreateTemplateCommand({ Template }));
    const { Source, Destination } = mail;
    const data = { Source, Destination, TemplateData: '{"name":"Zoë"}' };
    await client.send(new SendTemplatedEmailCommand({ ...data, Template: "welcome" }));
    expect(served.memory.emails).toMatchObject([
      { content: { text: `${Template.TextPart}|{"name":"Zoë"}`, html: null }, facts: { template: { id: "welcome" } } },
    ]);
    const missing = client.send(new SendTemplatedEmailCommand({ ...data, Template: "missing" }));
    await expect(missing).rejects.toThrow(TemplateDoesNotExistException);
    await expect(missing).rejects.toMatchObject({
      message: "Template missing does not exist.",
      TemplateName: "missing",
    });
  });

  test("SendBulkTemplatedEmail has a status for each destination", async () => {
    const Template = { TemplateName: "bulk", SubjectPart: "Hello", HtmlPart: "<p>" };
    await client.send(new CreateTemplateCommand({ Template }));
    const { Status = [] } = await client.send(
      new SendBulkTemplatedEmailCommand({
        Source: "app@shop.example",
        Template: "bulk",
        DefaultTemplateData: '{"a":1}',
        Destinations: [
          { Destination: { ToAddresses: ["zoe@shop.example"] }, ReplacementTemplateData: '{"b":2}' },
          { Destination: { ToAddresses: ["nobody"] } },
        ],
      }),
    );
    expect(Status).toEqual([
      { Status: "Success", MessageId: served.memory.emails[0]?.providerId },
      { Status: "InvalidParameterValue", Error: "Missing final '@domain'" },
    ]);
    expect(served.memory.emails).toMatchObject([{ content: { html: '<p>|{"a":1,"b":2}' } }]);
  });

  test.each<[string, Partial<SendEmailCommandInput>, readonly [code: string, message: string]]>([
    ["no recipient", { Destination: { ToAddresses: [] } }, ["InvalidParameterValue", "Missing required header 'To'."]],
    [
      "no message",
      { Message: undefined },
      [
        "ValidationError",
        "1 validation error detected: Value null at 'message' failed to satisfy constraint: Member must not be null",
      ],
    ],
    [
      "a colon in a tag name",
      { Tags: [{ Name: "a:b", Value: "c" }] },
      [
        "InvalidParameterValue",
        "Invalid tag name <a:b>: only alphanumeric ASCII characters, '_', and '-' are allowed.",
      ],
    ],
    [
      "a sender that cannot be verified",
      { Source: "app@app.invalid" },
      [
        "MessageRejected",
        "Email address is not verified. The following identities failed the check in region US-EAST-1: app@app.invalid",
      ],
    ],
  ])("rejects %s", async (_name, changes, error) => {
    expect(await errorOf(client.send(new SendEmailCommand({ ...mail, ...changes })))).toEqual([...error, 400]);
    expect(served.memory.emails).toEqual([]);
  });
});

test("templates are stored, listed, replaced, rendered and deleted", async () => {
  const Template = { TemplateName: "crud", SubjectPart: "Hello", TextPart: 'a\r\nb \u0007<&>"', HtmlPart: "<p>" };
  await client.send(new CreateTemplateCommand({ Template }));
  const again = await errorOf(client.send(new CreateTemplateCommand({ Template })));
  expect(again).toEqual(["AlreadyExists", "Template crud already exists.", 400]);
  const read = await client.send(new GetTemplateCommand({ TemplateName: "crud" }));
  expect(read.Template).toEqual({ ...Template, TextPart: 'a\r\nb \ufffd<&>"' });
  await client.send(new UpdateTemplateCommand({ Template: { TemplateName: "crud", SubjectPart: "New" } }));
  const names = (await client.send(new ListTemplatesCommand({}))).TemplatesMetadata?.map(({ Name }) => Name);
  expect(names).toContain("crud");
  const rendered = await client.send(new TestRenderTemplateCommand({ TemplateName: "crud", TemplateData: "{}" }));
  expect(rendered.RenderedTemplate).toContain("Subject: New|{}\r\n");
  const invalid = await errorOf(
    client.send(new TestRenderTemplateCommand({ TemplateName: "crud", TemplateData: "{" })),
  );
  expect(invalid).toEqual(["InvalidRenderingParameter", "Template rendering data is invalid", 400]);
  await client.send(new DeleteTemplateCommand({ TemplateName: "crud" }));
  await client.send(new DeleteTemplateCommand({ TemplateName: "crud" }));
  expect((await errorOf(client.send(new GetTemplateCommand({ TemplateName: "crud" }))))[0]).toBe(
    "TemplateDoesNotExist",
  );
  const noSubject = client.send(new CreateTemplateCommand({ Template: { TemplateName: "x", TextPart: "x" } }));
  expect(await errorOf(noSubject)).toEqual(["InvalidParameterValue", "The subject must be specified.", 400]);
});

test("identities, configuration sets and the account have the shapes that the SDK reads", async () => {
  await client.send(new VerifyEmailIdentityCommand({ EmailAddress: "zoe@shop.example" }));
  await client.send(new VerifyEmailAddressCommand({ EmailAddress: "max@shop.example" }));
  const { VerificationToken } = await client.send(new VerifyDomainIdentityCommand({ Domain: "shop.example" }));
  expect(VerificationToken).toHaveLength(44);
  expect((await client.send(new VerifyDomainDkimCommand({ Domain: "shop.example" }))).DkimTokens).toHaveLength(3);
  const identities = async (IdentityType?: "Domain" | "EmailAddress") =>
    (await client.send(new ListIdentitiesCommand({ IdentityType }))).Identities;
  expect(await identities()).toEqual(["zoe@shop.example", "max@shop.example", "shop.example"]);
  expect(await identities("Domain")).toEqual(["shop.example"]);
  const { VerifiedEmailAddresses } = await client.send(new ListVerifiedEmailAddressesCommand({}));
  expect(VerifiedEmailAddresses).toEqual(["zoe@shop.example", "max@shop.example"]);
  const Identities = ["shop.example", "zoe@shop.example", "unknown.example"];
  const attributes = await client.send(new GetIdentityVerificationAttributesCommand({ Identities }));
  expect(attributes.VerificationAttributes).toEqual({
    "shop.example": { VerificationStatus: "Success", VerificationToken },
    "zoe@shop.example": { VerificationStatus: "Success" },
  });
  const dkim = await client.send(new GetIdentityDkimAttributesCommand({ Identities }));
  expect(dkim.DkimAttributes?.["shop.example"]).toMatchObject({ DkimEnabled: true, DkimVerificationStatus: "Success" });
  await client.send(new DeleteIdentityCommand({ Identity: "zoe@shop.example" }));

  await client.send(new CreateConfigurationSetCommand({ ConfigurationSet: { Name: "events" } }));
  expect((await client.send(new ListConfigurationSetsCommand({}))).ConfigurationSets).toEqual([{ Name: "events" }]);
  const unknown = client.send(new DescribeConfigurationSetCommand({ ConfigurationSetName: "other" }));
  expect((await errorOf(unknown))[0]).toBe("ConfigurationSetDoesNotExist");

  expect(await client.send(new GetSendQuotaCommand({}))).toMatchObject({ MaxSendRate: 14, SentLast24Hours: 0 });
  expect((await client.send(new GetSendStatisticsCommand({}))).SendDataPoints).toEqual([]);
  expect((await client.send(new GetAccountSendingEnabledCommand({}))).Enabled).toBe(true);
});

test("rejects unknown actions, unknown keys and requests without a key", async () => {
  const services = () => memoryServices().services;
  const unknown = await callEndpoint(ses, queryRequest("SendBounce", [], validKey), services());
  expect([unknown.status, elementOf(unknown, "Code"), elementOf(unknown, "Type")]).toEqual([
    400,
    "InvalidAction",
    "Sender",
  ]);
  const wrong = await callEndpoint(ses, queryRequest("GetSendQuota", [], "wrong"), services());
  expect([wrong.status, elementOf(wrong, "Code")]).toEqual([403, "InvalidClientTokenId"]);
  const unsigned = { ...queryRequest("GetSendQuota", [], validKey), key: null, headers: {} };
  const missing = await callEndpoint(ses, unsigned, services());
  expect([missing.status, elementOf(missing, "Code")]).toEqual([403, "MissingAuthenticationToken"]);
});

test("has failures of the service in the format of each version", () => {
  const query = ses.errorResponse(new Problem("internal"), { method: "POST", path: "/", headers: {} });
  expect([elementOf(query, "Type"), elementOf(query, "Code")]).toEqual(["Receiver", "InternalFailure"]);
  const path = "/v2/email/outbound-emails";
  const rest = ses.errorResponse(new Problem("internal"), { method: "POST", path, headers: {} });
  expect(rest.headers?.["x-amzn-errortype"]).toBe("InternalServiceErrorException");
});

test("responds to any parameters of any action with well-formed XML below 500", async () => {
  const path = fc.constantFrom(
    "Source",
    "Destination",
    "Destination.ToAddresses.member.1",
    "Message.Subject.Data",
    "Message.Body",
    "RawMessage.Data",
    "Template",
    "Template.TemplateName",
    "TemplateData",
    "Destinations.member.1",
    "Identity",
    "EmailAddress",
    "Tags.member.1.Name",
    "NextToken",
    "MaxItems",
    "TemplateName",
    "Identities.member.1",
  );
  const fields = fc.array(fc.tuple(fc.oneof(path, fc.string()), fc.oneof(fc.string(), fc.constant("a@b.example"))));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...queryActionNames), fields, async (action, form) => {
      const { status, body } = await callEndpoint(ses, queryRequest(action, form, validKey), memoryServices().services);
      expect(status).toBeLessThan(500);
      expect(body?.text).toMatch(/^<(\w+Response) xmlns="[^"]+">.*<\/\1>$/s);
    }),
    { numRuns: 300 },
  );
});
