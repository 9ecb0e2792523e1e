/**
 * Requests of Amazon SNS to HTTP endpoints (https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html and
 * http-header.html there), and the settings of their targets.
 */
import { createHash, sign } from "node:crypto";
import type { CallbackRequest, CallbackSecrets, CallbackSetting, CallbackSigning } from "../callbacks.ts";
import type { EventWebhooks, NewSecrets, WebhookCredentials } from "../callbacks.ts";
import {
  alterEncoded,
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  jsonBody,
} from "../formats/callback-values.ts";
import { readJsonObject } from "../formats/json-body.ts";
import { createSigningIdentity } from "../formats/signing-identity.ts";
import { digitsOfUuid, uuidOfHash, uuidOfHex } from "../formats/uuid.ts";

/** Account id in ARNs. */
export const accountId = "000000000000";

/** Topic, signature and addresses of a target. */
interface TopicSettings {
  readonly topicArn: string;
  readonly region: string;
  readonly subscriptionArn: string;
  /** Base of the URLs for the certificate, confirmation and cancellation, without a trailing slash. */
  readonly endpoint: string;
  readonly signatureVersion: "1" | "2";
  /** Whether the body is the message alone, without the envelope and its signature. */
  readonly isRaw: boolean;
}

const topicDefault = `arn:aws:sns:us-east-1:${accountId}:restante`;

/** Settings that a user may give. */
const topicSettings: readonly CallbackSetting[] = [
  {
    name: "topicArn",
    description: `ARN of the topic; \`${topicDefault}\` by default`,
    isSecret: false,
    pattern: /^arn:aws[\w-]*:sns:[\w-]{1,40}:\d{12}:[\w.-]{1,256}$/,
  },
  {
    name: "signatureVersion",
    description: "`1` signs with SHA-1, `2` with SHA-256",
    isSecret: false,
    values: ["1", "2"],
  },
  {
    name: "endpoint",
    description:
      "Base of SigningCertURL, SubscribeURL and UnsubscribeURL: this service by default; `https://sns.us-east-1.amazonaws.com` " +
      "for receivers that accept only hosts of AWS, whose requests must then be intercepted",
    isSecret: false,
    pattern: /^https?:\/\/[\w.:[\]-]{1,260}(?:\/[\w./-]{0,200})?$/,
  },
  {
    name: "rawMessageDelivery",
    description: "`true` sends the message without the envelope of Amazon SNS and without a signature",
    isSecret: false,
    values: ["false", "true"],
  },
  {
    name: "confirmation",
    description: "`required` sends a SubscriptionConfirmation first and waits for its SubscribeURL; `none` does not",
    isSecret: false,
    values: ["required", "none"],
  },
  basicAuthSetting,
];

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

/** Returns the settings of a target. */
export function topicSettingsOf({ options, target, serviceUrl }: CallbackSigning): TopicSettings {
  const topicArn = topicOf(options);
  const endpoint = (options["endpoint"] ?? `${serviceUrl}/providers/sns`).replace(/\/$/, "");
  return {
    topicArn,
    region: topicArn.split(":")[3] ?? "us-east-1",
    subscriptionArn: subscriptionArnOf(target, options),
    endpoint,
    signatureVersion: options["signatureVersion"] === "2" ? "2" : "1",
    isRaw: options["rawMessageDelivery"] === "true",
  };
}

/** Returns the ARN of the topic of a target with these options. */
export function topicOf(options: CallbackSigning["options"]): string {
  return options["topicArn"] ?? topicDefault;
}

/** Returns the ARN of the subscription of a target: that of its topic, and its UUID. */
export function subscriptionArnOf(target: string, options: CallbackSigning["options"]): string {
  return `${topicOf(options)}:${target}`;
}

/** Creates the signing key and the certificate of a target. */
export async function createTopicSecrets(given: CallbackSecrets = {}): Promise<NewSecrets> {
  const basicAuth = givenBasicAuth(given);
  const { key, certificate } = await createSigningIdentity(certificateSubject);
  return { secrets: { key, certificate, ...basicAuth }, publicKey: certificate, secret: null };
}

const certificateSubject = "sns.amazonaws.com";
const fingerprintBytes = 4;
const nameDigits = 32;
const uuidDigits = 32;

/**
 * Returns the file name of a target's certificate: `SimpleNotificationService-` and 32 letters and digits, which contain the
 * UUID of the target and a fingerprint, so that another certificate has another URL. Receivers cache certificates by URL.
 */
export function certificateName(target: string, certificate: string): string {
  const bytes = Buffer.from(digitsOfUuid(target) + fingerprintOf(certificate), "hex");
  return `SimpleNotificationService-${BigInt(`0x${bytes.toString("hex")}`)
    .toString(36)
    .padStart(nameDigits, "0")}.pem`;
}

/** Returns the UUID of the target in the file name of a certificate; undefined for another name. */
export function targetOfCertificateName(name: string): string | undefined {
  const [, digits] = /^SimpleNotificationService-([0-9a-z]{32})\.pem$/.exec(name) ?? [];
  if (digits === undefined) return undefined;
  let number = 0n;
  for (const digit of digits) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hexDigits = uuidDigits + 2 * fingerprintBytes;
  const hex = number.toString(16).padStart(hexDigits, "0");
  if (hex.length > hexDigits) return undefined;
  return uuidOfHex(hex.slice(0, uuidDigits));
}

function fingerprintOf(certificate: string): string {
  return createHash("sha256")
    .update(certificate)
    .digest("hex")
    .slice(0, 2 * fingerprintBytes);
}
