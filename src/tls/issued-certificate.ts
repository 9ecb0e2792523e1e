/** Certificate that a public CA has issued, and the keys for it, in files that only the owner may read. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { keyPem, readIdentity, type Identity } from "./certificate.ts";
import { certificateRequest } from "./certificate-request.ts";
import { readText, writeAtomically } from "./key-files.ts";

/** Certificate chain, and its key, in PEM; {@link identity} is the first certificate. */
export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly identity: Identity;
}

/** Returns the certificate of a file; undefined when there is none, or one that is not valid at `now`. */
export function readIssued(file: string, now: number): IssuedCertificate | undefined {
  const text = readText(file);
  const [key] = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*$/.exec(text) ?? [""];
  const certificatePem = text.slice(0, text.length - key.length);
  const identity = readIdentity(certificatePem, key);
  if (identity === undefined || identity.certificate.validToDate.getTime() <= now) return undefined;
  return { certificatePem, keyPem: key, identity };
}

/** Request for a certificate, whose key is in memory only. */
export interface PendingCertificate {
  /** PKCS #10 request, in DER. */
  readonly request: Buffer;
  /** Stores the chain with the key as {@link readIssued} reads them; throws an `Error` when the chain is not one for the names and the key. */
  readonly store: (file: string, chainPem: string) => void;
}

/** Creates a key and the request for a certificate of DNS names. */
export function requestCertificate(names: readonly string[]): PendingCertificate {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    request: certificateRequest(names, pair),
    store: (file, chainPem) => {
      const key = keyPem(pair.privateKey);
      const identity = readIdentity(chainPem, key);
      if (identity === undefined || !coversNames(identity, names))
        throw new Error("the authority issued a certificate for another key or other names");
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeAtomically(file, `${chainPem.trimEnd()}\n${key}`);
    },
  };
}

/** Returns whether a certificate is valid for all names. */
export function coversNames({ certificate }: Identity, names: readonly string[]): boolean {
  return names.every((name) => certificate.checkHost(name) !== undefined);
}

/** Returns the ECDSA P-256 key of a file, which is created when it is missing. Throws when it contains something else. */
export function openAccountKey(file: string): KeyObject {
  const text = readText(file);
  if (text !== "") return createPrivateKey(text);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeAtomically(file, keyPem(privateKey));
  return privateKey;
}
