/** RSA keys that sign requests, with a certificate for those who verify them. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { signCertificate } from "../../core/x509.ts";

/** Private key (PKCS #8) and certificate in PEM. */
export interface SigningIdentity {
  readonly key: string;
  readonly certificate: string;
}

const modulusBits = 2048;
/** Years that need no clock, and in which times are in the form that all readers know (RFC 5280 §4.1.2.5). */
const validity = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2049, 11, 31) };

/** Creates an RSA key of 2048 bits with a self-signed certificate that is valid until the end of 2049. */
export async function createSigningIdentity(subject: string): Promise<SigningIdentity> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: modulusBits });
  const body = { subject, issuer: subject, publicKey, extensions: [], ...validity };
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    certificate: signCertificate(body, privateKey).toString(),
  };
}
