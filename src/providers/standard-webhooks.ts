/**
 * Signatures of Standard Webhooks (https://www.standardwebhooks.com), which Svix introduced: HMAC-SHA256 of id, timestamp and
 * body, with a secret in base64 after `whsec_`.
 */
import { createHmac, randomBytes } from "node:crypto";
import { invalidField } from "../core/errors.ts";
import { decodeStrictBase64 } from "./base64.ts";

const prefix = "whsec_";
const secretBytes = 32;
const [keyBytesMin, keyBytesMax] = [24, 64];

/** Content that is signed. */
export interface SignedContent {
  readonly id: string;
  /** Instant of the attempt in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly body: string | Uint8Array;
}

/** Returns a new secret of 32 random bytes. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** Returns a secret that a user gave; throws a 400 on the field `secret` unless it is `whsec_` and 24 to 64 bytes in base64. */
export function checkWebhookSecret(secret: string): string {
  const key = secret.startsWith(prefix) ? decodeStrictBase64(secret.slice(prefix.length)) : null;
  if (key === null || key.byteLength < keyBytesMin || key.byteLength > keyBytesMax) {
    throw invalidField("secret", `Must be ${prefix} and ${keyBytesMin} to ${keyBytesMax} bytes in base64`);
  }
  return secret;
}

/** Returns the timestamp that is signed: whole seconds since the Unix epoch. */
export function timestampOf(now: number): string {
  return String(Math.floor(now / 1000));
}

/** Returns a signature with its version, `v1,<base64>`. */
export function signWebhook({ id, now, body }: SignedContent, secret: string): string {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  const signature = createHmac("sha256", key)
    .update(`${id}.${timestampOf(now)}.`)
    .update(body)
    .digest("base64");
  return `v1,${signature}`;
}
