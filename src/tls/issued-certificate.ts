/** Certificate that a public CA has issued, and the keys for it: a text, and files that only the owner may read. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { keyPem, readIdentity, type Identity } from "./certificate.ts";
import { certificateRequest } from "./certificate-request.ts";
import { readText, writeAtomically } from "./key-files.ts";

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
