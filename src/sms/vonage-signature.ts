/** The `sig` of Vonage's SMS API: an HMAC over the sorted parameters (Vonage: Signing messages). */
import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldOf, type FormFields } from "./form.ts";

/** What the account's owner chose for signing. */
export type VonageHash = "sha256" | "sha512";

/** How far a signed request's `timestamp` may be off, either way; what is older was recorded and replayed. */
export const vonageClockSkewMsMax: number = 5 * 60_000;

/** Upper-case hex HMAC over all parameters but `sig`, in order of name, with `&` and `=` in values as `_`. */
export function signVonage(fields: FormFields, secret: string, hash: VonageHash = "sha256"): string {
  const signed = fields
    .filter(([name]) => name !== "sig")
    .toSorted(([a], [b]) => compareUnits(a, b))
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, "_")}`)
    .join("");
  return createHmac(hash, secret).update(signed).digest("hex").toUpperCase();
}

/** The parameters with `timestamp` (seconds) and `sig`; `now` in milliseconds since the Unix epoch. */
export function withVonageSignature(fields: FormFields, secret: string, now: number): FormFields {
  const stamped = [...fields, ["timestamp", String(Math.floor(now / 1000))] as const];
  return [...stamped, ["sig", signVonage(stamped, secret)]];
}

/**
 * Whether `sig` is that of the parameters, in any letter case and in constant time, and their `timestamp` is of now
 * (milliseconds since the Unix epoch). Parameters that are given twice are refused: two readers could differ.
 */
export function verifyVonage(fields: FormFields, secret: string, now: number): boolean {
  const names = fields.map(([name]) => name);
  const given = (fieldOf(fields, "sig") ?? "").toUpperCase();
  const hash: VonageHash = given.length === 128 ? "sha512" : "sha256";
  const matches = equal(given, signVonage(fields, secret, hash));
  const timestamp = fieldOf(fields, "timestamp") ?? "";
  const isOfNow = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - now) <= vonageClockSkewMsMax;
  return matches && isOfNow && new Set(names).size === names.length;
}

function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function equal(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}
