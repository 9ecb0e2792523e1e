/**
 * Resource data in notifications, which are encrypted for the application:
 * https://learn.microsoft.com/graph/change-notifications-with-resource-data
 */
import { constants, createCipheriv, createHmac, publicEncrypt, randomBytes, X509Certificate } from "node:crypto";
import type { JsonObject } from "../formats/json-body.ts";
import { invalidRequest } from "./errors.ts";

/** Certificate of an application, as DER in base64, and its name for it. */
export interface EncryptionCertificate {
  readonly certificate: string;
  readonly certificateId: string;
}

/** Longest certificate in base64; one with a key of 4096 bits has about 2,000 characters. */
const certificateLengthMax = 6000;
const [modulusBitsMin, modulusBitsMax] = [2048, 4096];
const keyBytes = 32;
const ivBytes = 16;
/** Largest resource that a notification has, as JSON. */
const resourceLengthMax = 4 * 1024 * 1024;

/** Throws the error of Graph unless the text is a certificate with an RSA key of 2048 to 4096 bits. */
export function checkCertificate(text: string): void {
  const bits = text.length > certificateLengthMax ? 0 : modulusBitsOf(text);
  if (bits >= modulusBitsMin && bits <= modulusBitsMax) return;
  throw invalidRequest(
    "encryptionCertificate must be an X.509 certificate in base64 with an RSA key of 2048 to 4096 bits.",
  );
}

function modulusBitsOf(text: string): number {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = certificateOf(text).publicKey;
    return asymmetricKeyType === "rsa" ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  } catch {
    // OpenSSL's errors say no more than that the bytes are no certificate.
    return 0;
  }
}

function certificateOf(text: string): X509Certificate {
  return new X509Certificate(Buffer.from(text, "base64"));
}

/**
 * Returns the member `encryptedContent` of a notification: AES-256-CBC with a key for this notification, whose first half is
 * the initialisation vector, HMAC-SHA256 with the same key, and the key by RSA-OAEP (SHA-1). None for a resource of more than
 * 4 million characters.
 */
export function encryptedContent(
  resource: JsonObject,
  { certificate: text, certificateId }: EncryptionCertificate,
): JsonObject {
  const json = JSON.stringify(resource);
  if (json.length > resourceLengthMax) return {};
  const certificate = certificateOf(text);
  const key = randomBytes(keyBytes);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, ivBytes));
  const data = Buffer.concat([cipher.update(json, "utf8"), cipher.final()]);
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
  return {
    encryptedContent: {
      data: data.toString("base64"),
      dataSignature: createHmac("sha256", key).update(data).digest("base64"),
      dataKey: publicEncrypt({ key: certificate.publicKey, ...padding }, key).toString("base64"),
      encryptionCertificateId: certificateId,
      encryptionCertificateThumbprint: certificate.fingerprint.replaceAll(":", ""),
    },
  };
}
