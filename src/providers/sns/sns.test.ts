import {
  CheckIfPhoneNumberIsOptedOutCommand,
  CreateTopicCommand,
  DeleteTopicCommand,
  GetSMSAttributesCommand,
  GetSMSSandboxAccountStatusCommand,
  GetTopicAttributesCommand,
  InvalidParameterException,
  ListSubscriptionsByTopicCommand,
  ListSubscriptionsCommand,
  ListTopicsCommand,
  NotFoundException,
  PublishCommand,
  SetSMSAttributesCommand,
  SNSClient,
  SNSServiceException,
  SubscribeCommand,
  UnsubscribeCommand,
  type PublishCommandInput,
} from "@aws-sdk/client-sns";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { serveProvider, type ServedProvider } from "../conformance/serve-provider.test-aid.ts";
import { memoryServices, validKey } from "../conformance/services.test-aid.ts";
import { sns } from "./provider.ts";
import { actionRequest, elementsOf } from "./samples.test-aid.ts";

let served: ServedProvider;
let client: SNSClient;

beforeAll(async () => {
  served = await serveProvider(sns);
  const credentials = { accessKeyId: validKey, secretAccessKey: "secret" };
  client = new SNSClient({ endpoint: served.url, region: "eu-west-1", credentials, maxAttempts: 1 });
});
beforeEach(() => served.memory.sms.splice(0));
afterAll(async () => {
  client.destroy();
  await served.close();
});

const number = "+447700900123";
const attribute = (value: string) => ({ DataType: "String", StringValue: value });
const publish = async (input: PublishCommandInput) => client.send(new PublishCommand(input));

/** Returns code, message and status of the error that a command rejects with. */
async function errorOf(sent: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await sent.catch((one: unknown) => one);
  if (!(error instanceof SNSServiceException)) return [error];
  const { Code } = error as { Code?: string };
  return [Code ?? error.name, error.message, error.$metadata.httpStatusCode];
}

describe("Publish", () => {
  test("stores an SMS with the sender id and responds with its UUID", async () => {
    const { MessageId } = await publish({
      PhoneNumber: number,
      Message: "Your code is 482913 & €",
      MessageAttributes: {
        "AWS.SNS.SMS.SenderID": attribute("MyApp"),
        "AWS.SNS.SMS.SMSType": attribute("Transactional"),
        "AWS.SNS.SMS.MaxPrice": { DataType: "Number", StringValue: "0.50" },
      },
    });
    expect(MessageId).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const [sms] = served.memory.sms;
    expect([sms?.from, sms?.to, sms?.text]).toEqual(["MyApp", number, "Your code is 482913 & €"]);
  });

  test("takes the text for SMS of a message in JSON", async () => {
    const Message = JSON.stringify({ default: "long", sms: "short" });
    await publish({ PhoneNumber: number, Message, MessageStructure: "json" });
    await publish({ PhoneNumber: number, Message: '{"default":"long"}', MessageStructure: "json" });
    expect(served.memory.sms.map(({ text }) => text)).toEqual(["short", "long"]);
  });

  test("uses the default sender id of the account", async () => {
    await publish({ PhoneNumber: number, Message: "one" });
    await client.send(
      new SetSMSAttributesCommand({ attributes: { DefaultSenderID: "Shop", DefaultSMSType: "Promotional" } }),
    );
    await publish({ PhoneNumber: number, Message: "two" });
    expect(served.memory.sms.map(({ from }) => from)).toEqual(["NOTICE", "Shop"]);
    const { attributes } = await client.send(new GetSMSAttributesCommand({}));
    expect(attributes).toEqual({ DefaultSenderID: "Shop", DefaultSMSType: "Promotional" });
    const some = await client.send(new GetSMSAttributesCommand({ attributes: ["DefaultSMSType"] }));
    expect(some.attributes).toEqual({ DefaultSMSType: "Promotional" });
  });

  test.each<[string, PublishCommandInput, string]>([
    ["an invalid number", { PhoneNumber: "4477", Message: "x" }, "PhoneNumber Reason: 4477 is not valid to publish to"],
    ["no target", { Message: "x" }, "TopicArn or TargetArn Reason: no value for required parameter"],
    ["an empty message", { PhoneNumber: number, Message: "" }, "Empty message"],
    ["a message that is too long", { PhoneNumber: number, Message: "x".repeat(1601) }, "Message too long"],
    [
      "an SMS type that does not exist",
      { PhoneNumber: number, Message: "x", MessageAttributes: { "AWS.SNS.SMS.SMSType": attribute("Urgent") } },
      "SMSType",
    ],
    [
      "a message that is no JSON",
      { PhoneNumber: number, Message: "{", MessageStructure: "json" },
      "Message Structure - JSON message body failed to parse",
    ],
    [
      "a topic that is no ARN",
      { TopicArn: "news", Message: "x" },
      "TopicArn Reason: An ARN must have at least 6 elements, not 1",
    ],
  ])("rejects %s", async (_name, input, message) => {
    const sent = publish(input);
    await expect(sent).rejects.toThrow(InvalidParameterException);
    expect(await errorOf(sent)).toEqual(["InvalidParameter", `Invalid parameter: ${message}`, 400]);
    expect(served.memory.sms).toEqual([]);
  });

  test("accepts an SMS to a number that has opted out, and stores nothing", async () => {
    const memory = memoryServices({ refusal: "unsubscribed" });
    const request = actionRequest(
      "Publish",
      [
        ["PhoneNumber", number],
        ["Message", "x"],
      ],
      validKey,
    );
    const response = await callEndpoint(sns, request, memory.services);
    expect([response.status, elementsOf(response, "MessageId").length]).toEqual([200, 1]);
    expect(memory.sms).toEqual([]);
    const check = actionRequest("CheckIfPhoneNumberIsOptedOut", [["phoneNumber", number]], validKey);
    expect(elementsOf(await callEndpoint(sns, check, memory.services), "isOptedOut")).toEqual(["true"]);
  });
});

describe("topics", () => {
  test("send an SMS to each subscribed number", async () => {
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "news" }));
    expect(TopicArn).toBe("arn:aws:sns:eu-west-1:000000000000:news");
    expect((await client.send(new CreateTopicCommand({ Name: "news" }))).TopicArn).toBe(TopicArn);
    const subscribe = async (Endpoint: string) =>
      (await client.send(new SubscribeCommand({ TopicArn, Protocol: "sms", Endpoint }))).SubscriptionArn;
    const first = await subscribe(number);
    await subscribe("+15550100");
    expect(await subscribe(number)).toBe(first);
    const { MessageId } = await publish({ TopicArn, Message: "Hello" });
    expect(served.memory.sms.map(({ to, text }) => [to, text])).toEqual([
      [number, "Hello"],
      ["+15550100", "Hello"],
    ]);
    expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
    const { Subscriptions } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    expect(Subscriptions?.map(({ Endpoint, Protocol }) => [Endpoint, Protocol])).toEqual([
      [number, "sms"],
      ["+15550100", "sms"],
    ]);
    await client.send(new UnsubscribeCommand({ SubscriptionArn: first }));
    const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
    expect(Attributes).toMatchObject({ TopicArn, SubscriptionsConfirmed: "1" });
    expect((await client.send(new ListTopicsCommand({}))).Topics).toEqual([{ TopicArn }]);
    await client.send(new DeleteTopicCommand({ TopicArn }));
    expect((await client.send(new ListSubscriptionsCommand({}))).Subscriptions).toEqual([]);
    const gone = publish({ TopicArn, Message: "Hello" });
    await expect(gone).rejects.toThrow(NotFoundException);
    expect(await errorOf(gone)).toEqual(["NotFound", "Topic does not exist", 404]);
  });

  test("reject protocols other than SMS", async () => {
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: "other" }));
    const sent = client.send(new SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: "arn:aws:sqs:x:1:y" }));
    expect((await errorOf(sent))[1]).toBe("Invalid parameter: Amazon SNS does not support this protocol string: sqs");
  });
});

test("the account is not in the SMS sandbox, and numbers have not opted out", async () => {
  expect((await client.send(new GetSMSSandboxAccountStatusCommand({}))).IsInSandbox).toBe(false);
  const { isOptedOut } = await client.send(new CheckIfPhoneNumberIsOptedOutCommand({ phoneNumber: number }));
  expect(isOptedOut).toBe(false);
});

test("rejects unknown actions, unknown keys and requests without a key", async () => {
  const respond = async (request: Parameters<typeof callEndpoint>[1]) => {
    const response = await callEndpoint(sns, request, memoryServices().services);
    return [response.status, ...elementsOf(response, "Code")];
  };
  expect(await respond(actionRequest("PublishBatch", [], validKey))).toEqual([400, "InvalidAction"]);
  expect(await respond(actionRequest("ListTopics", [], "wrong"))).toEqual([403, "InvalidClientTokenId"]);
  const unsigned = { ...actionRequest("ListTopics", [], validKey), key: null, headers: {} };
  expect(await respond(unsigned)).toEqual([403, "MissingAuthenticationToken"]);
});
