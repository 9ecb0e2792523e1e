/** Verifications of Vonage Verify v2. */
import { randomUUID } from "node:crypto";
import { isSameText } from "../formats/callback-values.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeObject, type ObjectDecision, type ObjectPlace } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { deliverCode, newCode, recipientHash, withAppHash, type CodeMessage } from "../one-time-code.ts";
import { jsonResponse } from "../provider.ts";
import { invalidParameter, verifyRejection, type VerifyError } from "./errors.ts";
import { readVerifyCheck, readVerifyStart, type VerifyStart, type Workflow } from "./verify-request.ts";

/** Verification of numbers or addresses, step by step. */
interface Verification extends Pick<VerifyStart, "brand" | "workflow" | "channelTimeout" | "clientRef"> {
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
interface VerificationResult {
  readonly verification: Verification;
  readonly error?: Rejection<VerifyError>;
}

type Decision = ObjectDecision<VerificationResult>;

/** Starts a verification: `POST /v2/verify`. */
export const startVerification: Handler = async (call) => {
  const { request, session, services } = call;
  const wanted = readVerifyStart(request.body);
  const code = wanted.code ?? newCode(wanted.codeLength);
  const verification = newVerification(wanted, { id: randomUUID(), code, now: services.now() });
  await reserve(call, verification);
  const { kind, id } = placeOf(verification.id);
  try {
    await session.objects.put(kind, id, { value: verification, version: 0, expiresAt: forgottenAt(verification) });
    await deliver(call, verification);
    return jsonResponse(202, { request_id: id });
  } catch (failure) {
    await session.objects.remove(kind, id);
    await release(call, verification);
    throw failure;
  }
};

/** Checks a code: `POST /v2/verify/:id`. */
export const checkVerification: Handler = async (call) => {
  const code = readVerifyCheck(call.request.body);
  const { verification, error } = await decide(call, (present) => decideCheck(present, code, call.services.now()));
  if (error === undefined || error.failure.name === "expired") await release(call, verification);
  if (error !== undefined) throw error;
  return jsonResponse(200, { request_id: verification.id, status: "completed" });
};

/** Cancels a verification: `DELETE /v2/verify/:id`. */
export const cancelVerification: Handler = async (call) => {
  const { verification } = await decide(call, (present) => decideCancel(present, call.services.now()));
  await release(call, verification);
  return { status: 204, body: null };
};

/** Moves on to the next step: `POST /v2/verify/:id/next-workflow`. */
export const nextWorkflow: Handler = async (call) => {
  const { verification } = await decide(call, (present) => decideNext(present, call.services.now()));
  await deliver(call, verification);
  return jsonResponse(200, { request_id: verification.id });
};

/** Sends the code of the current step; rejects when the recipient has no server or has opted out. */
async function deliver({ session }: Call, verification: Verification): Promise<void> {
  const refusal = await deliverCode(session, codeMessageOf(verification));
  if (refusal === null) return;
  const reason = refusal === "unsubscribed" ? "`to` The recipient has opted out" : "`to` No server has this recipient";
  throw invalidParameter(`workflow[${String(verification.step)}]`, reason);
}

/** Reserves the recipients; rejects with the id of the verification that has one of them. */
async function reserve(call: Call, verification: Verification): Promise<void> {
  for (const { to } of verification.workflow) {
    const holder = await changeObject<string>(call.session.objects, recipientPlaceOf(to), (value) =>
      value === undefined
        ? { result: verification.id, change: { value: verification.id, expiresAt: verification.endsAt } }
        : { result: value as string },
    );
    if (holder === verification.id) continue;
    await release(call, verification);
    throw verifyRejection({ name: "conflict", requestId: holder });
  }
}

async function release({ session, services }: Call, { id, workflow }: Verification): Promise<void> {
  for (const { to } of workflow) {
    await changeObject(session.objects, recipientPlaceOf(to), (value) =>
      value === id ? { result: null, change: { value, expiresAt: services.now() } } : { result: null },
    );
  }
}

async function decide(
  { request, session }: Call,
  body: (present: Verification) => Decision,
): Promise<VerificationResult> {
  const { id = "" } = request.params;
  return changeObject(session.objects, placeOf(id), (value) => {
    if (value === undefined) throw verifyRejection({ name: "not-found", id });
    return body(value as Verification);
  });
}

const failedCheckCountMax = 3;
/** Time after its end for which a verification is `expired` before it is `not-found`. */
const expiredMs = 3_600_000;

/** Returns the place of a verification. */
function placeOf(id: string): ObjectPlace {
  return { kind: "verify-request", id };
}

/** Returns the place of the id of the verification in progress of a number or an address. */
function recipientPlaceOf(to: string): ObjectPlace {
  return { kind: "verify-recipient", id: recipientHash(to) };
}

/** Returns a verification at its first step. */
function newVerification(
  { brand, workflow, channelTimeout, clientRef }: VerifyStart,
  { id, code, now }: { readonly id: string; readonly code: string; readonly now: number },
): Verification {
  const endsAt = now + workflow.length * channelTimeout * 1000;
  const start = { step: 0, failedCheckCount: 0, isTerminated: false };
  return { id, brand, workflow, channelTimeout, clientRef, code, ...start, endsAt };
}

/** Returns the instant from which a verification is not found any more. */
function forgottenAt({ endsAt }: Verification): number {
  return endsAt + expiredMs;
}

/** Decides about a check: the right code ends the verification, and three wrong ones terminate it. */
function decideCheck(present: Verification, code: string, now: number): Decision {
  if (isOver(present, now)) return { result: { verification: present, error: verifyRejection({ name: "expired" }) } };
  if (present.failedCheckCount >= failedCheckCountMax) {
    return changed({ ...present, isTerminated: true }, { name: "expired" });
  }
  if (isSameText(present.code, code)) return removed(present, now);
  return changed({ ...present, failedCheckCount: present.failedCheckCount + 1 }, { name: "invalid-code" });
}

/** Decides about the next step. */
function decideNext(present: Verification, now: number): Decision {
  if (isOver(present, now)) throw verifyRejection({ name: "not-found", id: present.id });
  const step = present.step + 1;
  if (step >= present.workflow.length) throw verifyRejection({ name: "no-events" });
  return changed({ ...present, step });
}

/** Decides about a cancellation. */
function decideCancel(present: Verification, now: number): Decision {
  if (isOver(present, now)) throw verifyRejection({ name: "not-found", id: present.id });
  return removed(present, now);
}

/** Returns the message that carries the code at the current step; that of a call contains the spoken text. */
function codeMessageOf({ id, brand, code, workflow, step, channelTimeout, clientRef }: Verification): CodeMessage {
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
    text: withAppHash(text, appHash),
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
