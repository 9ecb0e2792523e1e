/** X.509 certificates (RFC 5280), signed with ECDSA or RSA and SHA-256. */
import { randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";
import * as der from "./der.ts";

/** Content of a certificate: common names, validity in milliseconds since the Unix epoch, and encoded extensions. */
export interface CertificateBody {
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: KeyObject;
  readonly extensions: readonly der.Der[];
}

const version3 = der.explicit(0, der.unsignedInteger(Buffer.of(2)));
/** Algorithm of signatures by ECDSA with SHA-256 (RFC 5758 §3.2). */
export const ecdsaWithSha256: der.Der = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));
const sha256WithRsa = der.sequence(der.objectIdentifier("1.2.840.113549.1.1.11"), der.nothing());

/** Returns the certificate signed with the key of the issuer (RFC 5280 §4.1), of type `ec` or `rsa`. */
export function signCertificate(body: CertificateBody, issuerKey: KeyObject): X509Certificate {
  const algorithm = issuerKey.asymmetricKeyType === "rsa" ? sha256WithRsa : ecdsaWithSha256;
  const toBeSigned = der.sequence(
    version3,
    der.unsignedInteger(serialNumber()),
    algorithm,
    distinguishedName(body.issuer),
    der.sequence(der.time(body.notBefore), der.time(body.notAfter)),
    distinguishedName(body.subject),
    body.publicKey.export({ type: "spki", format: "der" }),
    ...(body.extensions.length === 0 ? [] : [der.explicit(3, der.sequence(...body.extensions))]),
  );
  const signature = sign("sha256", toBeSigned, issuerKey);
  return new X509Certificate(der.sequence(toBeSigned, algorithm, der.bitString(signature)));
}

/** Returns 127 random bits as a positive number of sixteen octets, never zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function distinguishedName(name: string): der.Der {
  return der.sequence(der.setOf(der.sequence(der.objectIdentifier("2.5.4.3"), der.utf8String(name))));
}
