/** Verifications of Vonage Verify v2. */
import { randomUUID } from "node:crypto";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeObject } from "../kit/objects.ts";
import { deliverCode, newCode } from "../one-time-code.ts";
import { jsonResponse } from "../provider.ts";
import {
  codeMessageOf,
  decideCancel,
  decideCheck,
  decideNext,
  forgottenAt,
  newVerification,
  placeOf,
  recipientPlaceOf,
  type Verification,
  type VerificationResult,
} from "./verification.ts";
import { invalidParameter, verifyRejection } from "./verify-errors.ts";
import { readVerifyCheck, readVerifyStart } from "./verify-request.ts";

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
  body: (present: Verification) => ReturnType<typeof decideCheck>,
): Promise<VerificationResult> {
  const { id = "" } = request.params;
  return changeObject(session.objects, placeOf(id), (value) => {
    if (value === undefined) throw verifyRejection({ name: "not-found", id });
    return body(value as Verification);
  });
}
