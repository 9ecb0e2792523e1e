/** Settings of targets that receive their requests through a topic of Amazon SNS. */
import { createHash } from "node:crypto";
import type { CallbackSecrets, CallbackSetting, CallbackSigning, NewSecrets } from "../callbacks.ts";
import { basicAuthSetting, givenBasicAuth } from "../formats/callback-values.ts";
import { createSigningIdentity } from "../formats/signing-identity.ts";
import { digitsOfUuid, uuidOfHex } from "../formats/uuid.ts";

/** Account id in ARNs. */
export const accountId = "000000000000";

/** Topic, signature and addresses of a target. */
export interface TopicSettings {
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
export const topicSettings: readonly CallbackSetting[] = [
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
  const { key, certificate } = await createSigningIdentity(subject);
  return { secrets: { key, certificate, ...basicAuth }, publicKey: certificate, secret: null };
}

const subject = "sns.amazonaws.com";
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
