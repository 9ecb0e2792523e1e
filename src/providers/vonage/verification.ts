/** State of a verification of Vonage Verify, and the changes that requests make to it. */
import { createHash } from "node:crypto";
import type { ObjectDecision, ObjectPlace } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { isSameCode, type CodeMessage } from "../one-time-code.ts";
import { verifyRejection, type VerifyError } from "./verify-errors.ts";
import type { VerifyStart, Workflow } from "./verify-request.ts";

/** Verification of numbers or addresses, step by step. */
export interface Verification extends Pick<VerifyStart, "brand" | "workflow" | "channelTimeout" | "clientRef"> {
  /** UUID. */
  readonly id: string;
  readonly code: string;
  /** Index of the current step in `workflow`. */
  readonly step: number;
  readonly failedCheckCount: number;
  readonly isTerminated: boolean;
  /** End of the last step, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** Verification after a change, and the error that the response to the change has. */
export interface VerificationResult {
  readonly verification: Verification;
  readonly error?: Rejection<VerifyError>;
}

type Decision = ObjectDecision<VerificationResult>;

const failedCheckCountMax = 3;
/** Time after its end for which a verification is `expired` before it is `not-found`. */
const expiredMs = 3_600_000;

/** Returns the place of a verification. */
export function placeOf(id: string): ObjectPlace {
  return { kind: "verify-request", id };
}

/** Returns the place of the id of the verification in progress of a number or an address. */
export function recipientPlaceOf(to: string): ObjectPlace {
  return { kind: "verify-recipient", id: createHash("sha256").update(to.toLowerCase()).digest("hex") };
}

/** Returns a verification at its first step. */
export function newVerification(
  { brand, workflow, channelTimeout, clientRef }: VerifyStart,
  { id, code, now }: { readonly id: string; readonly code: string; readonly now: number },
): Verification {
  const endsAt = now + workflow.length * channelTimeout * 1000;
  const start = { step: 0, failedCheckCount: 0, isTerminated: false };
  return { id, brand, workflow, channelTimeout, clientRef, code, ...start, endsAt };
}

/** Returns the instant from which a verification is not found any more. */
export function forgottenAt({ endsAt }: Verification): number {
  return endsAt + expiredMs;
}

/** Decides about a check: the right code ends the verification, and three wrong ones terminate it. */
export function decideCheck(present: Verification, code: string, now: number): Decision {
  if (isOver(present, now)) return { result: { verification: present, error: verifyRejection({ name: "expired" }) } };
  if (present.failedCheckCount >= failedCheckCountMax) {
    return changed({ ...present, isTerminated: true }, { name: "expired" });
  }
  if (isSameCode(present.code, code)) return removed(present, now);
  return changed({ ...present, failedCheckCount: present.failedCheckCount + 1 }, { name: "invalid-code" });
}

/** Decides about the next step. */
export function decideNext(present: Verification, now: number): Decision {
  if (isOver(present, now)) throw verifyRejection({ name: "not-found", id: present.id });
  const step = present.step + 1;
  if (step >= present.workflow.length) throw verifyRejection({ name: "no-events" });
  return changed({ ...present, step });
}

/** Decides about a cancellation. */
export function decideCancel(present: Verification, now: number): Decision {
  if (isOver(present, now)) throw verifyRejection({ name: "not-found", id: present.id });
  return removed(present, now);
}

/** Returns the message that carries the code at the current step; that of a call contains the spoken text. */
export function codeMessageOf({
  id,
  brand,
  code,
  workflow,
  step,
  channelTimeout,
  clientRef,
}: Verification): CodeMessage {
  const { channel, to, from, appHash } = workflow[step] as Workflow;
  const isEmail = channel === "email";
  const minutes = Math.max(1, Math.round((workflow.length * channelTimeout) / 60));
  const validity = minutes === 1 ? "1 minute" : `${String(minutes)} minutes`;
  const text = `${brand} code: ${code}. Valid for ${validity}.`;
  return {
    to,
    isEmail,
    name: brand,
    from: from ?? (isEmail ? "verify@vonage.example" : "Verify"),
    subject: `${brand} verification code`,
    text: appHash === null ? text : `<#> ${text}\n${appHash}`,
    providerId: id,
    metadata: { channel, ...(clientRef !== null && { client_ref: clientRef }) },
  };
}

function isOver({ isTerminated, endsAt }: Verification, now: number): boolean {
  return isTerminated || endsAt <= now;
}

function changed(verification: Verification, error?: VerifyError): Decision {
  const change = { value: verification, expiresAt: forgottenAt(verification) };
  return { result: { verification, ...(error !== undefined && { error: verifyRejection(error) }) }, change };
}

function removed(verification: Verification, now: number): Decision {
  return { result: { verification }, change: { value: verification, expiresAt: now } };
}
