/**
 * Requests of Amazon SNS to HTTP endpoints: https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html and
 * http-header.html there.
 */
import { sign } from "node:crypto";
import { alterEncoded, basicAuthHeaders, jsonBody } from "../formats/callback-values.ts";
import type { CallbackRequest, CallbackSetting, CallbackSigning } from "../callbacks.ts";
import type { EventWebhooks, WebhookCredentials } from "../callbacks.ts";
import { readJsonObject } from "../formats/json-body.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import {
  certificateName,
  createTopicSecrets,
  topicSettings,
  topicSettingsOf,
  type TopicSettings,
} from "./topic-settings.ts";

/** Message that is published to a topic. */
export interface Notification {
  /** UUID, the same on every attempt. */
  readonly messageId: string;
  /** Null for none. */
  readonly subject: string | null;
  readonly message: string;
}

type Envelope = Readonly<Record<string, string>>;

/** Members that are signed, in order; absent ones are skipped. */
const signedMembers = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const digests = { "1": "sha1", "2": "sha256" } as const;
const contentType = "text/plain; charset=UTF-8";
const userAgent = "Amazon Simple Notification Service Agent";

/** Returns the request that delivers a notification; with raw delivery, without an envelope. */
export function notificationRequest(notification: Notification, signing: CallbackSigning): CallbackRequest {
  const settings = topicSettingsOf(signing);
  const { messageId, subject, message } = notification;
  const { topicArn, subscriptionArn, endpoint, isRaw } = settings;
  const headers = {
    ...basicAuthHeaders(signing),
    ...headersOf("Notification", messageId, settings),
    "x-amz-sns-subscription-arn": subscriptionArn,
  };
  if (isRaw) {
    return {
      headers: { ...headers, "x-amz-sns-rawdelivery": "true" },
      contentType,
      body: Buffer.from(message, "utf8"),
    };
  }
  const envelope = {
    Type: "Notification",
    MessageId: messageId,
    TopicArn: topicArn,
    ...(subject !== null && { Subject: subject }),
    Message: message,
    Timestamp: new Date(signing.now).toISOString(),
  };
  const last = { UnsubscribeURL: `${endpoint}/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}` };
  return { headers, contentType, body: jsonBody({ ...signed(envelope, signing, settings), ...last }) };
}

/** Returns the request that asks an endpoint to confirm its subscription. */
export function confirmationRequest(token: string, signing: CallbackSigning): CallbackRequest {
  const settings = topicSettingsOf(signing);
  const { topicArn, endpoint } = settings;
  const messageId = uuidOfHash(token);
  const envelope = {
    Type: "SubscriptionConfirmation",
    MessageId: messageId,
    Token: token,
    TopicArn: topicArn,
    Message: `Subscription to the topic ${topicArn}.\nVisit the SubscribeURL in this message to confirm it.`,
    SubscribeURL: `${endpoint}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`,
    Timestamp: new Date(signing.now).toISOString(),
  };
  return {
    headers: { ...basicAuthHeaders(signing), ...headersOf("SubscriptionConfirmation", messageId, settings) },
    contentType,
    body: jsonBody(signed(envelope, signing, settings)),
  };
}

/** Returns the credentials of targets whose requests arrive through a topic, which may have settings of their own. */
export function topicCredentials(
  ...settings: readonly CallbackSetting[]
): WebhookCredentials & Required<Pick<EventWebhooks, "confirmation" | "mustConfirm">> {
  return {
    settings: [...settings, ...topicSettings],
    verification: "Verify the signature of the Amazon SNS message with the certificate of its SigningCertURL.",
    createSecrets: createTopicSecrets,
    forge: forgeRequest,
    confirmation: confirmationRequest,
    mustConfirm: ({ confirmation }) => confirmation !== "none",
  };
}

/** Returns a request whose signature is wrong; with raw delivery, which has none, whose topic is another. */
export function forgeRequest(request: CallbackRequest): CallbackRequest {
  const envelope = readJsonObject(request.body) ?? {};
  const { Signature: signature } = envelope;
  if (typeof signature === "string") {
    return { ...request, body: jsonBody({ ...envelope, Signature: alterEncoded(signature) }) };
  }
  const topic = request.headers["x-amz-sns-topic-arn"] ?? "";
  return { ...request, headers: { ...request.headers, "x-amz-sns-topic-arn": `${topic}-wrong` } };
}

function headersOf(type: string, messageId: string, { topicArn }: TopicSettings): Readonly<Record<string, string>> {
  return {
    "user-agent": userAgent,
    "x-amz-sns-message-type": type,
    "x-amz-sns-message-id": messageId,
    "x-amz-sns-topic-arn": topicArn,
  };
}

function signed(envelope: Envelope, { secrets, target }: CallbackSigning, settings: TopicSettings): Envelope {
  const { endpoint, signatureVersion } = settings;
  const { key = "", certificate = "" } = secrets;
  const text = signedMembers.flatMap((name) => {
    const value = envelope[name];
    return value === undefined ? [] : [`${name}\n${value}\n`];
  });
  return {
    ...envelope,
    SignatureVersion: signatureVersion,
    Signature: sign(digests[signatureVersion], Buffer.from(text.join(""), "utf8"), key).toString("base64"),
    SigningCertURL: `${endpoint}/${certificateName(target, certificate)}`,
  };
}
