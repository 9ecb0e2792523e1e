/** The only file that knows otpauth. */
import { trimEnd } from "../../../core/trim.ts";
import { Secret, TOTP, URI } from "otpauth";
import { invalidField } from "../../../core/errors.ts";

/** TOTP secret with its parameters (RFC 6238 §4). */
export interface TotpSecret {
  readonly algorithm: "SHA1" | "SHA256" | "SHA512";
  /** 6 to 8. */
  readonly digits: number;
  readonly periodSeconds: number;
  /** Base32 in upper case, without padding (RFC 4648 §6). */
  readonly base32: string;
  /** Label of an `otpauth://` URI; "" without one. */
  readonly label: string;
}

/** One-time password with its expiry in milliseconds since the Unix epoch. */
export interface OneTimePassword {
  readonly code: string;
  readonly expiresAt: number;
}

const field = "sharedSecret";
const textLengthMax = 4096;
const periodSecondsMax = 86_400;

/**
 * Parses a secret: base32 in any letter case, with or without padding, blanks and hyphens (SHA-1, six
 * digits, 30 s), or an `otpauth://totp/` URI with all its parameters. Anything else is a 400 on `sharedSecret`.
 */
export function parseTotpSecret(text: string): TotpSecret {
  const given = text.trim();
  if (given.length > textLengthMax)
    throw invalidField(field, `Secrets have at most ${textLengthMax} characters`, "too_long");
  return /^otpauth:/i.test(given) ? fromUri(given) : plain(given);
}

/** Returns the password at an instant in milliseconds since the Unix epoch. */
export function passwordAt(secret: TotpSecret, instantMs: number): OneTimePassword {
  const { algorithm, digits, periodSeconds } = secret;
  const totp = new TOTP({ algorithm, digits, period: periodSeconds, secret: Secret.fromBase32(secret.base32) });
  const periodMs = periodSeconds * 1000;
  return {
    code: totp.generate({ timestamp: instantMs }),
    expiresAt: (Math.floor(instantMs / periodMs) + 1) * periodMs,
  };
}

function plain(text: string): TotpSecret {
  return { algorithm: "SHA1", digits: 6, periodSeconds: 30, base32: readBase32(text), label: "" };
}

function fromUri(uri: string): TotpSecret {
  const parameters = new URLSearchParams(URL.parse(uri)?.search ?? "");
  const secret = parameters.get("secret");
  if (!/^otpauth:\/\/totp\//i.test(uri) || secret === null) {
    throw invalidField(field, "Must be base32, or otpauth://totp/LABEL?secret=BASE32", "invalid_uri");
  }
  return {
    algorithm: algorithmOf(parameters.get("algorithm") ?? "SHA1"),
    digits: readNumber(parameters.get("digits") ?? "6", { name: "digits", min: 6, max: 8 }),
    periodSeconds: readNumber(parameters.get("period") ?? "30", { name: "period", min: 1, max: periodSecondsMax }),
    base32: readBase32(secret),
    label: labelOf(uri),
  };
}

function readBase32(text: string): string {
  const base32 = trimEnd(text.replaceAll(/[\s-]/g, ""), "=").toUpperCase();
  if (!/^[A-Z2-7]+$/.test(base32) || base32.length < 2)
    throw invalidField(field, "Must be base32 (letters and 2 to 7)", "invalid_base32");
  return base32;
}

function algorithmOf(name: string): TotpSecret["algorithm"] {
  const found = (["SHA1", "SHA256", "SHA512"] as const).find((one) => one === name.toUpperCase().replace("-", ""));
  if (found === undefined)
    throw invalidField(field, "The algorithm must be SHA1, SHA256 or SHA512", "invalid_algorithm");
  return found;
}

function readNumber(text: string, { name, min, max }: { name: "digits" | "period"; min: number; max: number }): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < min || number > max)
    throw invalidField(field, `The ${name} must be from ${min} to ${max}`, `invalid_${name}`);
  return number;
}

/** Returns the label of a URI; "" when the library cannot parse it. */
function labelOf(uri: string): string {
  try {
    const { issuer, label } = URI.parse(uri);
    return [issuer, label].filter((part) => part !== "").join(": ");
  } catch {
    // The URI has no readable name, which is optional.
    return "";
  }
}
