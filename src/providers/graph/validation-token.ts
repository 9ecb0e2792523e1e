/**
 * Tokens by which receivers verify that a notification with resource data is from Graph, and the keys that they verify them
 * with: https://learn.microsoft.com/graph/change-notifications-with-resource-data. The only importer of `jose` for providers.
 */
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import type { JsonObject } from "../formats/json-body.ts";
import type { SigningIdentity } from "../formats/signing-identity.ts";
import { uuidOfHash } from "../formats/uuid.ts";

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
