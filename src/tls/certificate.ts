/** Makes X.509 certificates (RFC 5280) with ECDSA P-256 keys: a local CA, and server certificates of it. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from "node:crypto";
import * as der from "./der.ts";
import * as extensions from "./extensions.ts";

/** A certificate and the private key that belongs to it. */
export interface Identity {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** What is to be made. Instants in milliseconds since the Unix epoch. */
export interface CertificateWish {
  readonly names: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A self-signed CA with a fresh key. It can speak for the given names, all below them and private addresses only. */
export function makeAuthority(wish: CertificateWish): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = `restante local CA ${randomBytes(4).toString("hex")}`;
  const body = {
    ...wish,
    subject: name,
    issuer: name,
    publicKey,
    extensions: [
      extensions.basicConstraintsOfAuthority(),
      extensions.keyUsage("keyCertSign", "cRLSign"),
      extensions.subjectKeyIdentifier(publicKey),
      extensions.nameConstraints(wish.names),
    ],
  };
  return { certificate: signed(body, privateKey), key: privateKey };
}

/** A TLS server certificate with a fresh key, signed by a CA that {@link makeAuthority} made. */
export function makeServerIdentity(wish: CertificateWish, authority: Identity): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = {
    ...wish,
    subject: "localhost",
    issuer: commonName(authority.certificate.subject),
    publicKey,
    extensions: [
      extensions.basicConstraintsOfServer(),
      extensions.keyUsage("digitalSignature"),
      extensions.serverAuthentication(),
      extensions.subjectKeyIdentifier(publicKey),
      extensions.authorityKeyIdentifier(authority.certificate.publicKey),
      extensions.subjectAltName(wish.names),
    ],
  };
  return { certificate: signed(body, authority.key), key: privateKey };
}

/** Whether a CA of ours can speak for a name that is not a private address. */
export function permitsName(authority: X509Certificate, name: string): boolean {
  return authority.raw.includes(extensions.permittedSubtree(name));
}

/** Whether a certificate of ours is for these names, in this order, and for no others. */
export function namesExactly(certificate: X509Certificate, names: readonly string[]): boolean {
  return certificate.raw.includes(extensions.subjectAltName(names));
}

/** An identity from its PEM texts; undefined when one is unreadable or they do not belong together. */
export function readIdentity(certificatePem: string, keyPem: string): Identity | undefined {
  try {
    const certificate = new X509Certificate(certificatePem);
    const key = createPrivateKey(keyPem);
    return certificate.checkPrivateKey(key) ? { certificate, key } : undefined;
  } catch {
    // Unreadable PEM; callers report which file.
    return undefined;
  }
}

/** The private key as PKCS #8 PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

interface CertificateBody extends CertificateWish {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly der.Der[];
}

const version3 = der.explicit(0, der.unsignedInteger(Buffer.of(2)));
const ecdsaWithSha256 = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));

/** RFC 5280 §4.1. */
function signed(body: CertificateBody, issuerKey: KeyObject): X509Certificate {
  const toBeSigned = der.sequence(
    version3,
    der.unsignedInteger(serialNumber()),
    ecdsaWithSha256,
    distinguishedName(body.issuer),
    der.sequence(der.time(body.notBefore), der.time(body.notAfter)),
    distinguishedName(body.subject),
    body.publicKey.export({ type: "spki", format: "der" }),
    der.explicit(3, der.sequence(...body.extensions)),
  );
  const signature = sign("sha256", toBeSigned, issuerKey);
  return new X509Certificate(der.sequence(toBeSigned, ecdsaWithSha256, der.bitString(signature)));
}

/** 127 random bits: positive in sixteen octets, and never zero. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function distinguishedName(name: string): der.Der {
  return der.sequence(der.setOf(der.sequence(der.objectIdentifier("2.5.4.3"), der.utf8String(name))));
}

function commonName(subject: string): string {
  return subject.replace(/^CN=/, "");
}
