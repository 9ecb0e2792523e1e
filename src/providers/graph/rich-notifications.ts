/**
 * Resource data in notifications, encrypted for the application, and the tokens by which it verifies that they are from Graph:
 * https://learn.microsoft.com/graph/change-notifications-with-resource-data. The only importer of `jose` for providers.
 */
import {
  constants,
  createCipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import type { JsonObject } from "../formats/json-body.ts";
import type { SigningIdentity } from "../formats/signing-identity.ts";
import { uuidOfHash } from "../formats/uuid.ts";
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

/** Application id of the publisher of Graph's notifications, which receivers compare. */
const publisher = "0bf30f3b-4a52-48df-9a82-234910c4a086";
const lifetimeSeconds = 3600;

/** Receiver of a token. */
export interface TokenAudience {
  /** Id of the application. */
  readonly application: string;
  /** UUID of the tenant. */
  readonly tenant: string;
  /** Instant at which the token is issued, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns a token of version 1.0 for an application in a tenant, valid for an hour. */
export async function validationToken(
  { application, tenant, now }: TokenAudience,
  { key, certificate }: SigningIdentity,
): Promise<string> {
  const issuer = `https://sts.windows.net/${tenant}/`;
  const principal = uuidOfHash(`${publisher} ${tenant}`);
  const issuedAt = Math.floor(now / 1000);
  const id = thumbprintOf(new X509Certificate(certificate));
  const claims = {
    aud: application,
    iss: issuer,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    appid: publisher,
    // Receivers of tokens of version 2.0 compare this one.
    azp: publisher,
    appidacr: "2",
    idp: issuer,
    oid: principal,
    sub: principal,
    tid: tenant,
    ver: "1.0",
  };
  const header = { alg: "RS256", typ: "JWT", kid: id, x5t: id };
  const { SignJWT } = await import("jose");
  return new SignJWT(claims).setProtectedHeader(header).sign(createPrivateKey(key));
}

/** Returns the JWK set (RFC 7517) of a key. */
export function keySetOf({ certificate: text }: Pick<SigningIdentity, "certificate">, issuer: string): JsonObject {
  const certificate = new X509Certificate(text);
  const id = thumbprintOf(certificate);
  const { kty, n, e } = certificate.publicKey.export({ format: "jwk" });
  const x5c = [certificate.raw.toString("base64")];
  return { keys: [{ kty, use: "sig", alg: "RS256", kid: id, x5t: id, n, e, x5c, issuer }] };
}

/** Returns the SHA-1 of a certificate in base64url, by which tokens name its key (RFC 7515 §4.1.7). */
function thumbprintOf({ raw }: X509Certificate): string {
  return createHash("sha1").update(raw).digest("base64url");
}
