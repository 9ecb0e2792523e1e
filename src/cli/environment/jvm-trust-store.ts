/** Trust store of Java in PKCS #12 (RFC 7292), whose certificates are neither encrypted nor authenticated: all are public. */
import { X509Certificate } from "node:crypto";
import * as der from "../../core/der.ts";

const objects = {
  data: "1.2.840.113549.1.7.1",
  certBag: "1.2.840.113549.1.12.10.1.3",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  /** Oracle's attribute, without which a JVM reads a certificate as part of a chain, and does not trust it. */
  trustedKeyUsage: "2.16.840.1.113894.746875.1.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
} as const;

/** Returns a trust store with these certificates in PEM. Throws an `Error` for an invalid one. */
export function createJvmTrustStore(certificates: readonly string[]): Buffer {
  const bags = certificates.map((pem, at) => certificateBag(new X509Certificate(pem).raw, `restante-${String(at)}`));
  const safe = der.sequence(content(der.sequence(...bags)));
  return der.sequence(der.unsignedInteger(Buffer.of(3)), content(safe));
}

/** Returns ContentInfo (RFC 5652 §3) of the type data. */
function content(value: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(objects.data), der.explicit(0, der.octetString(value)));
}

/** Returns SafeBag (RFC 7292 §4.2) with a trusted certificate. */
function certificateBag(certificate: Uint8Array, alias: string): der.Der {
  const value = der.sequence(
    der.objectIdentifier(objects.x509Certificate),
    der.explicit(0, der.octetString(certificate)),
  );
  const name = attribute(objects.friendlyName, der.bmpString(alias));
  const trust = attribute(objects.trustedKeyUsage, der.objectIdentifier(objects.anyExtendedKeyUsage));
  const attributes = der.setOf(...[name, trust].toSorted((one, other) => Buffer.compare(one, other)));
  return der.sequence(der.objectIdentifier(objects.certBag), der.explicit(0, value), attributes);
}

function attribute(type: string, value: der.Der): der.Der {
  return der.sequence(der.objectIdentifier(type), der.setOf(value));
}
