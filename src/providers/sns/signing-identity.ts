/** Key with which notifications are signed, and its self-signed certificate, which receivers fetch by a URL. */
import { createHash, generateKeyPair } from "node:crypto";
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
const subject = "sns.amazonaws.com";
const fingerprintBytes = 4;
const nameDigits = 32;
const uuidDigits = 32;

/** Creates an RSA key of 2048 bits with a certificate that is valid until the end of 2049. */
export async function createSigningIdentity(): Promise<SigningIdentity> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: modulusBits });
  const body = { subject, issuer: subject, publicKey, extensions: [], ...validity };
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    certificate: signCertificate(body, privateKey).toString(),
  };
}

/**
 * Returns the file name of a target's certificate: `SimpleNotificationService-` and 32 letters and digits, which contain the
 * UUID of the target and a fingerprint, so that another certificate has another URL. Receivers cache certificates by URL.
 */
export function certificateName(target: string, certificate: string): string {
  const bytes = Buffer.from(target.replaceAll("-", "") + fingerprintOf(certificate), "hex");
  return `SimpleNotificationService-${BigInt(`0x${bytes.toString("hex")}`)
    .toString(36)
    .padStart(nameDigits, "0")}.pem`;
}

/** Returns the UUID of the target in the file name of a certificate; undefined for another name. */
export function targetOfCertificateName(name: string): string | undefined {
  const [, digits] = /^SimpleNotificationService-([0-9a-z]{32})\.pem$/.exec(name) ?? [];
  if (digits === undefined) return undefined;
  let number = 0n;
  for (const digit of digits) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hexDigits = uuidDigits + 2 * fingerprintBytes;
  const hex = number.toString(16).padStart(hexDigits, "0");
  if (hex.length > hexDigits) return undefined;
  return hex.slice(0, uuidDigits).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function fingerprintOf(certificate: string): string {
  return createHash("sha256")
    .update(certificate)
    .digest("hex")
    .slice(0, 2 * fingerprintBytes);
}
