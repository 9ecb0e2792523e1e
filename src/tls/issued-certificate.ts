/** Certificate that a public CA has issued, its request, the proof of control over a name, and the keys for it. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { keyPem, readIdentity, type Identity, readText, writeAtomically } from "./certificate.ts";
import * as der from "../core/der.ts";
import { ecdsaWithSha256, signCertificate } from "../core/x509.ts";
import { subjectAltName, acmeIdentifier } from "./extensions.ts";

/** Certificate chain, and its key, in PEM; {@link identity} is the first certificate. */
export interface IssuedCertificate {
  /** Text that was parsed. */
  readonly text: string;
  /** URL of the ACME directory that issued it; "" where the text names none. */
  readonly directory: string;
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly identity: Identity;
}

/** Returns the certificate of a file as {@link parseIssued} does; undefined also when it is missing. */
export function readIssued(file: string, now: number): IssuedCertificate | undefined {
  return parseIssued(readText(file), now);
}

/** Returns the certificate of a text; undefined when it contains none, or one that is not valid at `now`. */
export function parseIssued(text: string, now: number): IssuedCertificate | undefined {
  const [key] = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*$/.exec(text) ?? [""];
  const start = Math.max(0, text.indexOf("-----BEGIN "));
  const certificatePem = text.slice(start, text.length - key.length);
  const identity = readIdentity(certificatePem, key);
  if (identity === undefined || identity.certificate.validToDate.getTime() <= now) return undefined;
  return { text, directory: text.slice(0, start).trim(), certificatePem, keyPem: key, identity };
}

/** Request for a certificate, whose key is in memory only. */
export interface PendingCertificate {
  /** PKCS #10 request, in DER. */
  readonly request: Buffer;
  /** Returns the text that {@link parseIssued} reads; throws an `Error` when the chain is not one for the names and the key. */
  readonly complete: (directory: string, chainPem: string) => string;
}

/** Creates a key and the request for a certificate of DNS names. */
export function requestCertificate(names: readonly string[]): PendingCertificate {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    request: certificateRequest(names, pair),
    complete: (directory, chainPem) => {
      const key = keyPem(pair.privateKey);
      const identity = readIdentity(chainPem, key);
      if (identity === undefined || !coversNames(identity, names))
        throw new Error("the authority issued a certificate for another key or other names");
      return `${directory}\n${chainPem.trimEnd()}\n${key}`;
    },
  };
}

/** Stores the text of a certificate, or of a key, with its folder. */
export function storeSecretly(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeAtomically(file, text);
}

/** Returns whether a certificate is valid for all names. */
export function coversNames({ certificate }: Identity, names: readonly string[]): boolean {
  return names.every((name) => certificate.checkHost(name) !== undefined);
}

/** Returns the ECDSA P-256 key of a file, which is created when it is missing. Throws when it contains something else. */
export function openAccountKey(file: string): KeyObject {
  const text = readText(file);
  if (text !== "") return createPrivateKey(text);
  const pem = createAccountKey();
  storeSecretly(file, pem);
  return createPrivateKey(pem);
}

/** Returns a new ECDSA P-256 key, in PEM. */
export function createAccountKey(): string {
  return keyPem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
}

/** Returns the request for a certificate of these DNS names (PKCS #10, RFC 2986), in DER. `publicKey` and `privateKey` are ECDSA. */
export function certificateRequest(
  names: readonly string[],
  { publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
): Buffer {
  const extensionRequest = der.sequence(
    der.objectIdentifier("1.2.840.113549.1.9.14"),
    der.setOf(der.sequence(subjectAltName(names))),
  );
  const information = der.sequence(
    der.unsignedInteger(Buffer.of(0)),
    der.sequence(),
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(0, extensionRequest),
  );
  return der.sequence(information, ecdsaWithSha256, der.bitString(sign("sha256", information, privateKey)));
}

const dayMs = 86_400_000;

/**
 * Returns the certificate by which a host proves control of its name to a certificate authority (TLS-ALPN-01, RFC 8737 §3):
 * self-signed, with a new key, in PEM, valid for a day around `now`.
 */
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
