/** Signatures by Standard Webhooks (https://www.standardwebhooks.com, specification 1.0.0). */
import { createHmac, randomBytes } from "node:crypto";
import { invalidField } from "./errors.ts";

/** Content of one signature. */
export interface SignedWebhook {
  /** Value of `webhook-id`. */
  readonly id: string;
  /** Value of `webhook-timestamp`: seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

const prefix = "whsec_";
const secretBytes = 32;
/** Bounds of the specification. */
const secretBytesMin = 24;
const secretBytesMax = 64;
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns a random secret. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** Returns the bytes of a secret; throws a 400 on `secret` when it is malformed. */
export function readWebhookSecret(secret: string): Uint8Array {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : "";
  // The libraries of receivers reject base64 without padding.
  const bytes = base64Pattern.test(text) && text.length % 4 === 0 ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.byteLength >= secretBytesMin && bytes.byteLength <= secretBytesMax) return bytes;
  throw invalidField("secret", "Must be whsec_ and 24 to 64 bytes in Base64");
}

/** Returns the header fields of a request, with one signature for each secret. */
export function signWebhook(
  { id, timestamp, body }: SignedWebhook,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signed = Buffer.concat([Buffer.from(`${id}.${String(timestamp)}.`, "utf8"), body]);
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac("sha256", readWebhookSecret(secret)).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
