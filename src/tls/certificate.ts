/** X.509 certificates (RFC 5280) with ECDSA P-256 keys, of a local CA and of servers, and files with keys. */
import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate, type KeyObject } from "node:crypto";
import { signCertificate } from "../core/x509.ts";
import * as extensions from "./extensions.ts";
import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Certificate and its private key. */
export interface Identity {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Names and validity of a certificate; instants in milliseconds since the Unix epoch. */
export interface CertificateRequest {
  readonly names: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Creates a self-signed CA with a new key, constrained to the given names, their subdomains and private addresses. */
export function createAuthority(request: CertificateRequest): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = `restante local CA ${randomBytes(4).toString("hex")}`;
  const body = {
    ...request,
    subject: name,
    issuer: name,
    publicKey,
    extensions: [
      extensions.basicConstraintsOfAuthority(),
      extensions.keyUsage("keyCertSign", "cRLSign"),
      extensions.subjectKeyIdentifier(publicKey),
      extensions.nameConstraints(request.names),
    ],
  };
  return { certificate: signCertificate(body, privateKey), key: privateKey };
}

/** Creates a TLS server certificate with a new key, signed by a CA of {@link createAuthority}. */
export function createServerIdentity(request: CertificateRequest, authority: Identity): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = {
    ...request,
    subject: "localhost",
    issuer: commonName(authority.certificate.subject),
    publicKey,
    extensions: [
      extensions.basicConstraintsOfServer(),
      extensions.keyUsage("digitalSignature"),
      extensions.serverAuthentication(),
      extensions.subjectKeyIdentifier(publicKey),
      extensions.authorityKeyIdentifier(authority.certificate.publicKey),
      extensions.subjectAltName(request.names),
    ],
  };
  return { certificate: signCertificate(body, authority.key), key: privateKey };
}

/** Returns whether the constraints of a CA permit a name that is not a private address. */
export function permitsName(authority: X509Certificate, name: string): boolean {
  return authority.raw.includes(extensions.permittedSubtree(name));
}

/** Returns whether a server certificate has exactly these names, in this order. */
export function namesExactly(certificate: X509Certificate, names: readonly string[]): boolean {
  return certificate.raw.includes(extensions.subjectAltName(names));
}

/** Parses PEM texts; returns undefined when one is invalid or the key belongs to another certificate. */
export function readIdentity(certificatePem: string, keyPem: string): Identity | undefined {
  try {
    const certificate = new X509Certificate(certificatePem);
    const key = createPrivateKey(keyPem);
    return certificate.checkPrivateKey(key) ? { certificate, key } : undefined;
  } catch {
    // Invalid PEM; callers report the file.
    return undefined;
  }
}

/** Returns the private key as PKCS #8 PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

function commonName(subject: string): string {
  return subject.replace(/^CN=/, "");
}

/** Returns the text of a file; "" when it is missing. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Replaces a file, which only its owner may read, as a whole. */
export function writeAtomically(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
