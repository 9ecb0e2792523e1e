import { createSecureContext, type SecureContext } from "node:tls";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

/** A certificate that only its maker trusts, and what a listener needs to show it. */
export interface ThrowAwayCertificate {
  /** PEM; what a client must trust. */
  readonly certificate: string;
  readonly secureContext: SecureContext;
}

/** Makes a self-signed certificate for `name` and 127.0.0.1, valid for a day. */
export async function throwAwayCertificate(name = "localhost"): Promise<ThrowAwayCertificate> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const dayMs = 24 * 60 * 60 * 1000;
  const x509 = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: "dns", value: name },
        { type: "ip", value: "127.0.0.1" },
      ]),
    ],
  });
  const certificate = x509.toString("pem");
  const key = PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { certificate, secureContext: createSecureContext({ cert: certificate, key }) };
}
