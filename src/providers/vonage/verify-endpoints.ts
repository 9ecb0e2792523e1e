import { randomUUID } from "node:crypto";
import { changeObject, type ObjectDecision } from "../kit/objects.ts";
import { deliverCode, newCode } from "../one-time-code.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderRequest, type ProviderSession } from "../provider.ts";
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
import { verifyErrorResponse, type VerifyError } from "./verify-errors.ts";
import { readVerifyCheck, readVerifyStart } from "./verify-request.ts";

const collection = "/v2/verify";
const item = "/v2/verify/:id";

/** Starts a verification: `POST /v2/verify`. */
const start: ProviderEndpoint = {
  method: "POST",
  isSend: true,
  path: collection,
  summary: "Send a code through the Vonage Verify-compatible API.",
  successes: [{ status: 202, description: "The id of the request." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { request: wanted, error } = readVerifyStart(request.body);
    if (error !== undefined) return verifyErrorResponse(error);
    const code = wanted.code ?? newCode(wanted.codeLength);
    const verification = newVerification(wanted, { id: randomUUID(), code, now: services.now() });
    const holder = await reserve(session, verification, services.now());
    if (holder !== null) return verifyErrorResponse({ name: "conflict", requestId: holder });
    const { kind, id } = placeOf(verification.id);
    const undo = async (): Promise<void> => {
      await session.objects.remove(kind, id);
      await release(session, verification, services.now());
    };
    try {
      await session.objects.put(kind, id, { value: verification, version: 0, expiresAt: forgottenAt(verification) });
      const refused = await deliver(session, verification);
      if (refused === null) return jsonResponse(202, { request_id: id });
      await undo();
      return verifyErrorResponse(refused);
    } catch (failure) {
      await undo();
      throw failure;
    }
  },
};

/** Checks a code: `POST /v2/verify/:id`. */
const check: ProviderEndpoint = {
  method: "POST",
  path: item,
  summary: "Check a code through the Vonage Verify-compatible API.",
  successes: [{ status: 200, description: "The status `completed`." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { request: code, error } = readVerifyCheck(request.body);
    if (error !== undefined) return verifyErrorResponse(error);
    const id = idOf(request);
    const decided = await decide(session, id, (present) => decideCheck(present, code, services.now()));
    const { present, result } = decided;
    const isEnded = result.error === undefined || result.error.name === "expired";
    if (present !== undefined && isEnded) await release(session, present, services.now());
    if (result.error !== undefined) return verifyErrorResponse(result.error);
    return jsonResponse(200, { request_id: id, status: "completed" });
  },
};

/** Cancels a verification: `DELETE /v2/verify/:id`. */
const cancel: ProviderEndpoint = {
  method: "DELETE",
  path: item,
  summary: "Cancel a verification through the Vonage Verify-compatible API.",
  successes: [{ status: 204, description: "The verification was cancelled." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { result } = await decide(session, idOf(request), (present) => decideCancel(present, services.now()));
    if (result.error !== undefined) return verifyErrorResponse(result.error);
    await release(session, result.verification, services.now());
    return { status: 204, body: null };
  },
};

/** Moves on to the next step: Vonage's reference has the hyphen, its SDKs the underscore. */
const next = (name: "next-workflow" | "next_workflow"): ProviderEndpoint => ({
  method: "POST",
  isSend: true,
  path: `${item}/${name}`,
  summary: "Send a code through the next channel of the Vonage Verify-compatible API.",
  successes: [{ status: 200, description: "The id of the request." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { result } = await decide(session, idOf(request), (present) => decideNext(present, services.now()));
    if (result.error !== undefined) return verifyErrorResponse(result.error);
    const refused = await deliver(session, result.verification);
    return refused === null ? jsonResponse(200, { request_id: idOf(request) }) : verifyErrorResponse(refused);
  },
});

/** Endpoints of Vonage Verify v2. */
export const verifyEndpoints: readonly ProviderEndpoint[] = [
  start,
  check,
  cancel,
  next("next-workflow"),
  next("next_workflow"),
];

function idOf({ params }: ProviderRequest): string {
  return params["id"] ?? "";
}

/** Sends the code of the current step; resolves to the error when the recipient has no server or has opted out. */
async function deliver(session: ProviderSession, verification: Verification): Promise<VerifyError | null> {
  const refusal = await deliverCode(session, codeMessageOf(verification));
  if (refusal === null) return null;
  const name = `workflow[${String(verification.step)}]`;
  const reason = refusal === "unsubscribed" ? "`to` The recipient has opted out" : "`to` No server has this recipient";
  return { name: "invalid-params", parameter: { name, reason } };
}

/** Reserves the recipients; resolves to null, or to the id of the verification that has one of them. */
async function reserve(
  session: Pick<ProviderSession, "objects">,
  verification: Verification,
  now: number,
): Promise<string | null> {
  for (const { to } of verification.workflow) {
    const holder = await changeObject<string>(session.objects, recipientPlaceOf(to), (value) =>
      value === undefined
        ? { result: verification.id, change: { value: verification.id, expiresAt: verification.endsAt } }
        : { result: value as string },
    );
    if (holder === verification.id) continue;
    await release(session, verification, now);
    return holder;
  }
  return null;
}

async function release(
  { objects }: Pick<ProviderSession, "objects">,
  { id, workflow }: Verification,
  now: number,
): Promise<void> {
  for (const { to } of workflow) {
    await changeObject(objects, recipientPlaceOf(to), (value) =>
      value === id ? { result: null, change: { value, expiresAt: now } } : { result: null },
    );
  }
}

interface Decided {
  /** Verification before the decision. */
  readonly present: Verification | undefined;
  readonly result: VerificationResult;
}

async function decide(
  { objects }: Pick<ProviderSession, "objects">,
  id: string,
  body: (present: Verification) => ObjectDecision<VerificationResult>,
): Promise<Decided> {
  return changeObject<Decided>(objects, placeOf(id), (value) => {
    if (value === undefined) return { result: { present: undefined, result: { error: { name: "not-found", id } } } };
    const present = value as Verification;
    const { result, ...rest } = body(present);
    return { ...rest, result: { present, result } };
  });
}
