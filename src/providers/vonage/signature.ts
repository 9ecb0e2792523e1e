/** The `sig` of Vonage's SMS API: an HMAC over the sorted parameters (Vonage: Signing messages). */
import { createHmac } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { isSameText } from "../formats/same-text.ts";

/** Hash function that the owner of the account chose. */
export type VonageHash = "sha256" | "sha512";

/** Largest difference between a signed request's `timestamp` and the clock; bounds replays. */
export const vonageClockSkewMsMax: number = 5 * 60_000;

/** Returns the upper-case hex HMAC of all parameters but `sig`, sorted by name, with `&` and `=` in values as `_`. */
export function signVonage(fields: FormFields, secret: string, hash: VonageHash = "sha256"): string {
  const signed = fields
    .filter(([name]) => name !== "sig")
    .toSorted(([a], [b]) => Number(a > b) - Number(a < b))
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, "_")}`)
    .join("");
  return createHmac(hash, secret).update(signed).digest("hex").toUpperCase();
}

/** Returns the parameters with `timestamp` (seconds) and `sig`; `now` in milliseconds since the Unix epoch. */
export function withVonageSignature(fields: FormFields, secret: string, now: number): FormFields {
  const stamped = [...fields, ["timestamp", String(Math.floor(now / 1000))] as const];
  return [...stamped, ["sig", signVonage(stamped, secret)]];
}

/**
 * Returns whether `sig` is the signature of the parameters and their `timestamp` is close to `now` (milliseconds since the
 * Unix epoch); ignores letter case and compares in constant time. Refuses repeated parameters: two parsers could disagree
 * on their value.
 */
export function verifyVonage(fields: FormFields, secret: string, now: number): boolean {
  const names = fields.map(([name]) => name);
  const given = (fieldOf(fields, "sig") ?? "").toUpperCase();
  const hash: VonageHash = given.length === 128 ? "sha512" : "sha256";
  const matches = isSameText(given, signVonage(fields, secret, hash));
  const timestamp = fieldOf(fields, "timestamp") ?? "";
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - now) <= vonageClockSkewMsMax;
  return matches && isRecent && new Set(names).size === names.length;
}
