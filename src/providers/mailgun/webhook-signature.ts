/** Signature of Mailgun's requests: HMAC-SHA256 over timestamp and token, in hexadecimal; it does not cover the rest. */
import { createHmac } from "node:crypto";
import {
  basicAuthHeaders,
  basicAuthSetting,
  derivedHex,
  givenBasicAuth,
  givenSecret,
  newSecret,
} from "../formats/callback-values.ts";
import type { CallbackSecrets, CallbackSetting, CallbackSigning, NewSecrets } from "../callbacks.ts";

/** Signature of a request, as members of JSON or fields of a form. */
export interface MailgunSignature {
  readonly timestamp: string;
  /** 50 hexadecimal digits; receivers may refuse one that they have seen. */
  readonly token: string;
  readonly signature: string;
}

/** Settings of the signature. */
export const signatureSettings: readonly CallbackSetting[] = [
  { name: "signingKey", description: "HTTP webhook signing key; made here by default", isSecret: true },
  basicAuthSetting,
];

/** Verification as the documentation describes it. */
export const signatureVerification: string =
  "HMAC-SHA256 over timestamp and token with the webhook signing key, in `signature`; the rest is not signed.";

/** Makes a signing key, or takes that of the user. */
export function createSigningKey(given: CallbackSecrets): NewSecrets {
  const form = "1 to 200 printable ASCII characters without spaces";
  const signingKey = givenSecret(given, "signingKey", { pattern: /^[\x21-\x7e]{1,200}$/, form }) ?? newSecret();
  return { secrets: { signingKey, ...givenBasicAuth(given) }, publicKey: null, secret: signingKey };
}

/** Returns the signature of an attempt; `seed` is the id of the event or mail. */
export function signatureOf({ secrets, now, url }: CallbackSigning, seed: string): MailgunSignature {
  const timestamp = Math.floor(now / 1000).toString();
  const token = derivedHex(50, seed, now, url);
  const signature = createHmac("sha256", secrets["signingKey"] ?? "").update(timestamp + token);
  return { timestamp, token, signature: signature.digest("hex") };
}

/** Returns the header fields of a request. */
export function requestHeaders(signing: Pick<CallbackSigning, "secrets" | "url">): Readonly<Record<string, string>> {
  return { "User-Agent": "mailgun/treq-20.9.0", ...basicAuthHeaders(signing) };
}

/** Returns another signature. */
export function forgedSignature(signature: string): string {
  return derivedHex(64, signature, "forged");
}
