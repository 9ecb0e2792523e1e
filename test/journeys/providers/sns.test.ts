/** SMS through the API of Amazon SNS over real sockets, with the unmodified SDK that only environment variables lead here. */
import {
  CheckIfPhoneNumberIsOptedOutCommand,
  CreateTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
} from "@aws-sdk/client-sns";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { parsePhoneNumber } from "../../../src/core/phone-number.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "AKIAKEYFORJOURNEYS";
const server = "snsx1234" as ServerId;
const number = "+15550100";

let stop: SilentService["stop"];
let service: RunningService;
let sns: SNSClient;

beforeAll(async () => {
  const owned = parsePhoneNumber(number);
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "SMS" }],
    numbers: owned === undefined ? [] : [{ number: owned, server }],
  }));
  vi.stubEnv("AWS_ENDPOINT_URL_SNS", `${service.url}/providers/sns`);
  vi.stubEnv("AWS_ACCESS_KEY_ID", key);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not-checked");
  vi.stubEnv("AWS_REGION", "eu-west-1");
  sns = new SNSClient({ maxAttempts: 1 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  sns.destroy();
  await stop();
});

async function ask<Answer>(line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await fetch(service.url + path, { method, headers, ...content })).json()) as Answer;
}

async function messagesOf(providerId = ""): Promise<readonly Message[]> {
  const query = new URLSearchParams({ server, provider: "sns", providerId });
  return ask<Message[]>(`GET /api/messages?${query.toString()}`);
}

test("the SDK sends an SMS, and the interface returns it with its code", async () => {
  const { MessageId } = await sns.send(
    new PublishCommand({
      PhoneNumber: number,
      Message: "Your code is 482913 ✓",
      MessageAttributes: { "AWS.SNS.SMS.SenderID": { DataType: "String", StringValue: "MyApp" } },
    }),
  );
  const [found] = await messagesOf(MessageId);
  expect(found?.id).toBe(MessageId);
  expect(await ask<Message>(`GET /api/messages/${MessageId ?? ""}`)).toMatchObject({
    type: "SMS",
    text: { body: "Your code is 482913 ✓", codes: [{ value: "482913" }] },
    provider: { name: "sns", id: MessageId },
  });
});

test.each(["", "/"])(
  'the SDK sends to an endpoint whose path is "%s" instead of that of the provider',
  async (path) => {
    const atRoot = new SNSClient({ endpoint: service.url + path, maxAttempts: 1 });
    const { MessageId } = await atRoot.send(new PublishCommand({ PhoneNumber: number, Message: "from the root" }));
    atRoot.destroy();
    expect(await messagesOf(MessageId)).toMatchObject([{ id: MessageId }]);
  },
);

test("a number that replied STOP receives nothing, and the SDK sees that it has opted out", async () => {
  // A number can reply when the application has a webhook, of whichever provider.
  const phoneNumber = "+15550177";
  const webhook = "http://127.0.0.1:1/in";
  await ask("POST /api/phone-numbers", { number: phoneNumber, server, provider: "twilio", secret: "auth", webhook });
  const MessageAttributes = {
    "AWS.MM.SMS.OriginationNumber": { DataType: "String", StringValue: "+15550150" },
  };
  const publish = async () =>
    (await sns.send(new PublishCommand({ PhoneNumber: phoneNumber, Message: "Reply STOP to end", MessageAttributes })))
      .MessageId ?? "";
  const isOptedOut = async () => (await sns.send(new CheckIfPhoneNumberIsOptedOutCommand({ phoneNumber }))).isOptedOut;
  expect(await isOptedOut()).toBe(false);
  const first = await publish();
  await ask(`POST /api/messages/${first}/reply`, { text: "STOP" });
  expect(await isOptedOut()).toBe(true);
  expect(await messagesOf(await publish())).toEqual([]);
  await ask(`POST /api/messages/${first}/reply`, { text: "START" });
  expect(await isOptedOut()).toBe(false);
});

test("a topic sends an SMS to its subscribers", async () => {
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: "news" }));
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: "sms", Endpoint: number }));
  const { MessageId } = await sns.send(new PublishCommand({ TopicArn, Message: "Hello subscribers" }));
  expect(await messagesOf(MessageId)).toMatchObject([{ summary: "Hello subscribers" }]);
});

test("errors are the typed errors of the SDK", async () => {
  await expect(sns.send(new PublishCommand({ PhoneNumber: "nobody", Message: "x" }))).rejects.toMatchObject({
    name: "InvalidParameterException",
    message: "Invalid parameter: PhoneNumber Reason: nobody is not valid to publish to",
  });
});
