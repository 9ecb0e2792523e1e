/** Certificate by which a host proves control of its name to a certificate authority (TLS-ALPN-01, RFC 8737 §3). */
import { createHash, generateKeyPairSync } from "node:crypto";
import { signCertificate } from "../core/x509.ts";
import { keyPem } from "./certificate.ts";
import { acmeIdentifier, subjectAltName } from "./extensions.ts";

const dayMs = 86_400_000;

/** Returns a self-signed certificate of one DNS name with a new key, in PEM, valid for a day around `now`. */
export function challengeCertificate(
  name: string,
  { keyAuthorization, now }: { readonly keyAuthorization: string; readonly now: number },
): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const digest = createHash("sha256").update(keyAuthorization).digest();
  const body = {
    subject: "acme-tls/1",
    issuer: "acme-tls/1",
    notBefore: now - dayMs,
    notAfter: now + dayMs,
    publicKey,
    extensions: [subjectAltName([name]), acmeIdentifier(digest)],
  };
  return { cert: signCertificate(body, privateKey).toString(), key: keyPem(privateKey) };
}
