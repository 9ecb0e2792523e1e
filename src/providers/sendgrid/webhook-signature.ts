/** Signature of SendGrid's requests: ECDSA over P-256 and SHA-256, of the timestamp followed by the body. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import { basicAuthHeaders, basicAuthSetting, givenBasicAuth } from "../formats/callback-values.ts";
import type { CallbackRequest, CallbackSecrets, CallbackSetting, CallbackSigning, NewSecrets } from "../callbacks.ts";

/** Name of the header field with the signature: base64 of its DER encoding. */
export const signatureField = "X-Twilio-Email-Event-Webhook-Signature";
/** Name of the header field with the timestamp: seconds since the Unix epoch. */
export const timestampField = "X-Twilio-Email-Event-Webhook-Timestamp";

/** Settings of the signature. */
export const signatureSettings: readonly CallbackSetting[] = [
  {
    name: "privateKey",
    description: "private key on the curve P-256, PKCS #8 in base64; made here by default",
    isSecret: true,
  },
  basicAuthSetting,
];

/** Verification as the documentation describes it. */
export const signatureVerification: string = `ECDSA (P-256, SHA-256) over the timestamp and the raw body, in \`${signatureField}\` and \`${timestampField}\`.`;

/** Makes a key pair, or reads the private key that the user gave; the public key is shown as base64 of its SPKI encoding. */
export function createSignatureKeys(given: CallbackSecrets): NewSecrets {
  const { privateKey: text = "" } = given;
  const key = text === "" ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : readGivenKey(text);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return {
    secrets: {
      privateKey: key.export({ type: "pkcs8", format: "der" }).toString("base64"),
      ...givenBasicAuth(given),
    },
    publicKey,
    secret: null,
  };
}

function readGivenKey(text: string): KeyObject {
  const key = keyOf(text.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
  if (key?.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw invalidField("settings.privateKey", "Must be a private key on the curve P-256, PKCS #8 in base64");
  }
  return key;
}

function keyOf(base64: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(base64, "base64"), format: "der", type: "pkcs8" });
  } catch {
    // Not a key; the caller names the field.
    return undefined;
  }
}

/** Returns the header fields that sign a body, and the credentials of Basic authentication. */
export function signatureHeaders(
  body: Uint8Array,
  { secrets, now, url }: Pick<CallbackSigning, "secrets" | "now" | "url">,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now / 1000).toString();
  const key = createPrivateKey({
    key: Buffer.from(secrets["privateKey"] ?? "", "base64"),
    format: "der",
    type: "pkcs8",
  });
  const signature = sign("sha256", Buffer.concat([Buffer.from(timestamp), body]), key);
  return {
    ...basicAuthHeaders({ secrets, url }),
    [signatureField]: signature.toString("base64"),
    [timestampField]: timestamp,
  };
}

/** Returns the request with a well-formed signature that is not that of its body. */
export function forgeSignature(request: CallbackRequest): CallbackRequest {
  const { privateKey } = createSignatureKeys({}).secrets;
  const now = Number(request.headers[timestampField]) * 1000;
  const secrets = { privateKey: privateKey ?? "" };
  const headers = signatureHeaders(request.body, { secrets, now, url: "http://localhost" });
  return { ...request, headers: { ...request.headers, ...headers } };
}
