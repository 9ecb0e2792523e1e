import { X509Certificate } from "node:crypto";
import {
  ConfirmSubscriptionCommand,
  InvalidParameterException,
  SNSClient,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest, NewSecrets } from "../callbacks.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { ProviderResponse, ProviderServices, ProviderSubscriptions } from "../provider.ts";
import { formRequest } from "../conformance/samples.test-aid.ts";
import { serveProvider, type ServedProvider } from "../conformance/serve-provider.test-aid.ts";
import { memoryServices, validKey } from "../conformance/services.test-aid.ts";
import { certificateName, confirmationRequest, createTopicSecrets, forgeRequest } from "./notifications.ts";
import { notificationRequest, targetOfCertificateName } from "./notifications.ts";
import { sns } from "./provider.ts";
import { elementsOf } from "./samples.test-aid.ts";
import { acceptsMessage } from "./validate-message.test-aid.ts";

const target = "5d3f9c1e-7a60-4b7c-8f21-2f6f0a9b1c4d";
const topicArn = "arn:aws:sns:eu-west-1:000000000000:mail";
const endpoint = "https://sns.eu-west-1.amazonaws.com";
const token = "ab12".repeat(40);
const notification = { messageId: "3c0f2b9e-52a1-4a8f-9d65-7b1f0c1d2e3f", subject: "Subject", message: '{"a":"€"}\n' };

let created: NewSecrets;
const calls: string[] = [];
const subscriptions: ProviderSubscriptions = {
  publicKeyOf: async (id) => (id === target ? created.publicKey : null),
  confirm: async (given) => {
    calls.push(`confirm ${given}`);
    return given === token ? { target, options: { topicArn } } : null;
  },
  unsubscribe: async (id) => {
    calls.push(`unsubscribe ${id}`);
    return id === target;
  },
};

beforeAll(async () => {
  created = await createTopicSecrets();
});

function signing(options: Readonly<Record<string, string>> = {}): ReturnType<typeof sampleSigning> {
  return sampleSigning(created.secrets, { target, options });
}

function membersOf({ body }: CallbackRequest): Readonly<Record<string, string>> {
  return JSON.parse(Buffer.from(body).toString("utf8")) as Record<string, string>;
}

async function visit(url: string): Promise<ProviderResponse> {
  const { pathname, searchParams } = new URL(url);
  const path = pathname.replace("/providers/sns", "");
  const services: ProviderServices = { ...memoryServices().services, subscriptions };
  const fields = [...searchParams];
  const request = { ...formRequest([], { method: "GET", path }), fields, form: [], key: null };
  return callEndpoint(sns, request, services);
}

describe.each(["1", "2"])("signature version %s", (signatureVersion) => {
  test("is accepted by AWS's validator, and refused when altered", async () => {
    const options = { signatureVersion, endpoint, topicArn };
    const requests = [
      notificationRequest(notification, signing(options)),
      notificationRequest({ ...notification, subject: null }, signing(options)),
      confirmationRequest(token, signing(options)),
    ];
    for (const request of requests) {
      expect(membersOf(request)["SignatureVersion"]).toBe(signatureVersion);
      expect(await acceptsMessage(request, created.publicKey ?? "")).toBe(true);
      expect(await acceptsMessage(forgeRequest(request), created.publicKey ?? "")).toBe(false);
      for (const name of ["Message", "MessageId", "Timestamp", "TopicArn", "Type"]) {
        const body = Buffer.from(JSON.stringify({ ...membersOf(request), [name]: "other" }));
        expect([name, await acceptsMessage({ ...request, body }, created.publicKey ?? "")]).toEqual([name, false]);
      }
    }
  });
});

test("a notification has the members and header fields of Amazon SNS", () => {
  const request = notificationRequest(notification, signing({ topicArn }));
  const subscriptionArn = `${topicArn}:${target}`;
  expect(request.contentType).toBe("text/plain; charset=UTF-8");
  expect(request.headers).toEqual({
    "user-agent": "Amazon Simple Notification Service Agent",
    "x-amz-sns-message-type": "Notification",
    "x-amz-sns-message-id": notification.messageId,
    "x-amz-sns-topic-arn": topicArn,
    "x-amz-sns-subscription-arn": subscriptionArn,
  });
  expect(membersOf(request)).toMatchObject({
    Type: "Notification",
    MessageId: notification.messageId,
    TopicArn: topicArn,
    Subject: "Subject",
    Message: notification.message,
    Timestamp: "2026-11-20T10:42:07.975Z",
    UnsubscribeURL: `http://127.0.0.1:8025/providers/sns/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`,
  });
});

test("raw message delivery sends the message alone", () => {
  const { headers, body } = notificationRequest(notification, signing({ rawMessageDelivery: "true" }));
  expect(headers["x-amz-sns-rawdelivery"]).toBe("true");
  expect(Buffer.from(body).toString("utf8")).toBe(notification.message);
});

describe("URLs of notifications", () => {
  test("the SubscribeURL confirms with the token", async () => {
    const request = confirmationRequest(token, signing({ topicArn }));
    const { SubscribeURL: url = "", Token: given } = membersOf(request);
    expect(given).toBe(token);
    const response = await visit(url);
    expect([response.status, calls.at(-1)]).toEqual([200, `confirm ${token}`]);
    expect(elementsOf(response, "SubscriptionArn")).toEqual([`${topicArn}:${target}`]);
  });

  test("an unknown token is InvalidParameter", async () => {
    const response = await visit("http://x/providers/sns/?Action=ConfirmSubscription&Token=x");
    expect([response.status, elementsOf(response, "Code")]).toEqual([400, ["InvalidParameter"]]);
  });

  test("the SigningCertURL returns the certificate", async () => {
    const { SigningCertURL: url = "" } = membersOf(notificationRequest(notification, signing()));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8025\/providers\/sns\/SimpleNotificationService-[0-9a-z]{32}\.pem$/);
    const { status, body } = await visit(url);
    expect([status, body?.text]).toEqual([200, created.publicKey]);
  });

  test.each(["x.pem", `SimpleNotificationService-${"z".repeat(32)}.pem`])("%s is refused", async (name) => {
    expect(await visit(`http://x/providers/sns/${name}`)).toMatchObject({ status: 403 });
  });

  test("the URL of a replaced certificate is refused", async () => {
    const { publicKey } = await createTopicSecrets();
    expect(await visit(`http://x/providers/sns/${certificateName(target, publicKey ?? "")}`)).toMatchObject({
      status: 403,
    });
  });

  test("the UnsubscribeURL disables the target", async () => {
    const { UnsubscribeURL: url = "" } = membersOf(notificationRequest(notification, signing()));
    expect([(await visit(url)).status, calls.at(-1)]).toEqual([200, `unsubscribe ${target}`]);
    expect(await visit("http://x/providers/sns/?Action=Unsubscribe&SubscriptionArn=arn:x")).toMatchObject({
      status: 404,
    });
  });

  test("other actions need credentials", async () => {
    expect(await visit("http://x/providers/sns/?Action=ListTopics")).toMatchObject({ status: 403 });
  });
});

describe("the certificate", () => {
  test("is self-signed by the key and valid until 2049", () => {
    const certificate = new X509Certificate(created.publicKey ?? "");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.validToDate.getUTCFullYear()).toBe(2049);
    expect(certificate.subject).toBe("CN=sns.amazonaws.com");
  });

  test("has a name from which the target is read", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), (id, certificate) => {
        expect(targetOfCertificateName(certificateName(id, certificate))).toBe(id);
      }),
    );
  });
});

describe("the AWS SDK", () => {
  let served: ServedProvider;
  let client: SNSClient;

  beforeAll(async () => {
    const memory = memoryServices();
    served = await serveProvider(sns, { ...memory, services: { ...memory.services, subscriptions } });
    const credentials = { accessKeyId: validKey, secretAccessKey: "secret" };
    client = new SNSClient({ endpoint: served.url, region: "eu-west-1", credentials, maxAttempts: 1 });
  });
  afterAll(async () => {
    client.destroy();
    await served.close();
  });

  test("confirms and cancels a subscription", async () => {
    const confirmed = await client.send(new ConfirmSubscriptionCommand({ TopicArn: topicArn, Token: token }));
    expect(confirmed.SubscriptionArn).toBe(`${topicArn}:${target}`);
    await client.send(new UnsubscribeCommand({ SubscriptionArn: confirmed.SubscriptionArn }));
    expect(calls.at(-1)).toBe(`unsubscribe ${target}`);
    const unknown = client.send(new ConfirmSubscriptionCommand({ TopicArn: topicArn, Token: "x" }));
    await expect(unknown).rejects.toBeInstanceOf(InvalidParameterException);
  });
});
