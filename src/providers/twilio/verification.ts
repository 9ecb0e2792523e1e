/** State of a verification, and the changes that requests make to it. */
import { createHash } from "node:crypto";
import type { ObjectDecision, ObjectPlace } from "../kit/objects.ts";
import { isSameCode } from "../one-time-code.ts";
import { rejection, resourceNotFound } from "./errors.ts";
import { newVerifySid } from "./verify-services.ts";

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
): ObjectDecision<Verification> {
  if (present !== undefined && present.failedCheckCount >= failedCheckCountMax) throw rejection(60202);
  if (present !== undefined && present.sends.length >= sendCountMax) throw rejection(60203);
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

/** Decides about a check: the right code ends the verification, and a wrong one counts. Throws without a verification. */
export function decideCheck(
  present: Verification | undefined,
  code: string,
  now: number,
): ObjectDecision<Verification> {
  if (present === undefined) throw resourceNotFound();
  if (present.failedCheckCount >= failedCheckCountMax) throw rejection(60202);
  if (isSameCode(present.code, code)) return ended(present, "approved", now);
  return changed({ ...present, failedCheckCount: present.failedCheckCount + 1, updatedAt: now });
}

/** Decides about a status that the application sets. Throws without a verification. */
export function decideStatus(
  present: Verification | undefined,
  status: "approved" | "canceled",
  now: number,
): ObjectDecision<Verification> {
  if (present === undefined) throw resourceNotFound();
  return ended(present, status, now);
}

function endOf({ createdAt }: Verification): number {
  return createdAt + verificationMs;
}

function changed(verification: Verification): ObjectDecision<Verification> {
  return { result: verification, change: { value: verification, expiresAt: endOf(verification) } };
}

function ended(present: Verification, status: "approved" | "canceled", now: number): ObjectDecision<Verification> {
  const verification = { ...present, status, updatedAt: now };
  return { result: verification, change: { value: verification, expiresAt: now } };
}
