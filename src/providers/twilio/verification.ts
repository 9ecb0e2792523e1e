/** State of a verification, and the changes that requests make to it. */
import { createHash } from "node:crypto";
import type { ObjectDecision, ObjectPlace } from "../kit/objects.ts";
import { isSameCode } from "../one-time-code.ts";
import { twilioError, type TwilioError } from "./errors.ts";
import { newVerifySid } from "./verify-service.ts";

/** Channels by which a code is delivered. */
export type VerifyChannel = "sms" | "call" | "whatsapp" | "email";

/** Delivery of the code. */
export interface SendAttempt {
  readonly sid: string;
  readonly channel: VerifyChannel;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Verification of a number or an address. */
export interface Verification {
  /** `VE` and 32 hex digits. */
  readonly sid: string;
  readonly serviceSid: string;
  readonly accountSid: string;
  readonly to: string;
  readonly status: "pending" | "approved" | "canceled";
  readonly code: string;
  readonly sends: readonly SendAttempt[];
  readonly failedCheckCount: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Changed verification, or the error that Twilio would respond with. */
export type VerificationResult =
  | { readonly verification: Verification; readonly error?: undefined }
  | { readonly verification?: undefined; readonly error: TwilioError };

/** Time for which a code is valid. */
export const verificationMs: number = 10 * 60_000;
const sendCountMax = 5;
const failedCheckCountMax = 5;

/** Returns the place of the pending verification of a number or an address. */
export function placeOf(serviceSid: string, to: string): ObjectPlace {
  const hash = createHash("sha256").update(to.toLowerCase()).digest("hex");
  return { kind: "verification", id: `${serviceSid}:${hash}` };
}

/** Returns the place of the recipient of a verification, which finds it by its SID. */
export function recipientPlaceOf(sid: string): ObjectPlace {
  return { kind: "verification-recipient", id: sid };
}

/** Request to deliver a code. */
export interface CodeRequest extends Pick<Verification, "serviceSid" | "accountSid" | "to"> {
  readonly channel: VerifyChannel;
  /** Code of a new verification. */
  readonly newCode: string;
  /** Code that the application chose; replaces that of a pending verification. */
  readonly customCode: string | null;
}

/** Decides about another delivery: a pending verification keeps its code, SID and end. */
export function decideSend(
  present: Verification | undefined,
  { channel, newCode, customCode, ...ids }: CodeRequest,
  now: number,
): ObjectDecision<VerificationResult> {
  if (present !== undefined && present.failedCheckCount >= failedCheckCountMax) return failed(60202);
  if (present !== undefined && present.sends.length >= sendCountMax) return failed(60203);
  const send = { sid: newVerifySid("VL"), channel, at: now };
  const fresh = {
    ...ids,
    sid: newVerifySid("VE"),
    status: "pending" as const,
    code: newCode,
    sends: [],
    failedCheckCount: 0,
    createdAt: now,
  };
  const base: Omit<Verification, "updatedAt"> = present ?? fresh;
  return changed({ ...base, code: customCode ?? base.code, sends: [...base.sends, send], updatedAt: now });
}

/** Decides about a delivery that was refused: it does not count. */
export function decideRevert(
  present: Verification | undefined,
  sendSid: string,
  now: number,
): ObjectDecision<undefined> {
  if (present === undefined) return { result: undefined };
  const sends = present.sends.filter(({ sid }) => sid !== sendSid);
  const expiresAt = sends.length === 0 ? now : endOf(present);
  return { result: undefined, change: { value: { ...present, sends }, expiresAt } };
}

/** Decides about a check: the right code ends the verification, and a wrong one counts. Null without a verification. */
export function decideCheck(
  present: Verification | undefined,
  code: string,
  now: number,
): ObjectDecision<VerificationResult | null> {
  if (present === undefined) return { result: null };
  if (present.failedCheckCount >= failedCheckCountMax) return failed(60202);
  if (isSameCode(present.code, code)) return ended(present, "approved", now);
  return changed({ ...present, failedCheckCount: present.failedCheckCount + 1, updatedAt: now });
}

/** Decides about a status that the application sets. Null without a verification. */
export function decideStatus(
  present: Verification | undefined,
  status: "approved" | "canceled",
  now: number,
): ObjectDecision<VerificationResult | null> {
  return present === undefined ? { result: null } : ended(present, status, now);
}

function endOf({ createdAt }: Verification): number {
  return createdAt + verificationMs;
}

function changed(verification: Verification): ObjectDecision<VerificationResult> {
  return { result: { verification }, change: { value: verification, expiresAt: endOf(verification) } };
}

function ended(
  present: Verification,
  status: "approved" | "canceled",
  now: number,
): ObjectDecision<VerificationResult> {
  const verification = { ...present, status, updatedAt: now };
  return { result: { verification }, change: { value: verification, expiresAt: now } };
}

function failed(code: 60202 | 60203): ObjectDecision<VerificationResult> {
  return { result: { error: twilioError(code) } };
}
