/** Verifications of Twilio Verify. */
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeObject, type ObjectDecision, type ObjectPlace } from "../kit/objects.ts";
import { isSameText } from "../formats/callback-values.ts";
import { deliverCode, newCode, recipientHash } from "../one-time-code.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, resourceNotFound } from "./errors.ts";
import { accountSidOf, newSid, urlUpTo } from "./resources.ts";
import {
  defaultService,
  services as allServices,
  type VerifyService,
  checkResource,
  codeMessageOf,
  invalidTo,
  readCheck,
  readRecipient,
  readStatus,
  readVerification,
  verificationResource,
} from "./verify-services.ts";

const servicesPath = "/v2/Services";

/** Channels by which a code is delivered. */
export type VerifyChannel = "sms" | "call" | "whatsapp" | "email";

/** Delivery of the code. */
interface SendAttempt {
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

/** Pending verification; undefined without one. */
type Present = Verification | undefined;

/** Starts a verification or delivers its code again: `POST /v2/Services/:service/Verifications`. */
export const createVerification: Handler = async (call) => {
  const { request, session, services } = call;
  const service = await findService(call);
  const wanted = readVerification(request.form);
  const { to, channel, customCode } = wanted;
  const ids = { serviceSid: service.sid, accountSid: accountSidOf(request), to };
  const codeRequest = { ...ids, channel, customCode, newCode: newCode(service.settings.code_length) };
  const place = placeOf(service.sid, to);
  const change = async <Result>(decision: (present: Present) => ObjectDecision<Result>): Promise<Result> =>
    changeObject(session.objects, place, (value) => decision(value as Present));
  const verification = await change((present) => decideSend(present, codeRequest, services.now()));
  const revert = async (): Promise<void> => {
    const sendSid = verification.sends.at(-1)?.sid ?? "";
    await change((present) => decideRevert(present, sendSid, services.now()));
  };
  const refusal = await deliverCode(session, codeMessageOf(verification, wanted, service)).catch(
    async (failure: unknown) => {
      await revert();
      throw failure;
    },
  );
  if (refusal !== null) {
    await revert();
    throw refusal === "unsubscribed" ? rejection(21610, to) : invalidTo(to);
  }
  const expiresAt = verification.createdAt + verificationMs;
  const { kind, id } = recipientPlaceOf(verification.sid);
  await session.objects.put(kind, id, { value: to, expiresAt });
  return jsonResponse(201, verificationResource(verification, urlUpTo(request, servicesPath)));
};

/** Returns a pending verification by its SID, number or address: `GET /v2/Services/:service/Verifications/:id`. */
export const getVerification: Handler = async (call) => {
  const { params } = call.request;
  const { service = "", id: subject = "" } = params;
  const to = await recipientOf(call, subject);
  const { kind, id } = placeOf(service, to);
  const found = (await call.session.objects.get(kind, id))?.value as Present;
  if (found === undefined || !isNamed(found, subject)) throw resourceNotFound();
  return jsonResponse(200, verificationResource(found, urlUpTo(call.request, servicesPath)));
};

/** Approves or cancels a pending verification: `POST /v2/Services/:service/Verifications/:id`. */
export const updateVerification: Handler = async (call) => {
  const { form, params } = call.request;
  const status = readStatus(form);
  const verification = await decide(call, params["id"] ?? "", (present) =>
    decideStatus(present, status, call.services.now()),
  );
  return jsonResponse(200, verificationResource(verification, urlUpTo(call.request, servicesPath)));
};

/** Checks a code: `POST /v2/Services/:service/VerificationCheck`. */
export const checkVerification: Handler = async (call) => {
  const { subject, code } = readCheck(call.request.form);
  const verification = await decide(call, subject, (present) => decideCheck(present, code, call.services.now()));
  return jsonResponse(201, checkResource(verification));
};

/** Returns the service of the path; throws for a malformed SID. A SID that was not created here has the defaults. */
async function findService(call: Call): Promise<VerifyService> {
  const { request, services } = call;
  const { service: sid = "" } = request.params;
  if (!/^VA[0-9a-f]{32}$/i.test(sid)) throw rejection(60200, ` \`ServiceSid\`: ${sid}`);
  return (await allServices.of(call).find(sid)) ?? defaultService(sid, accountSidOf(request), services.now());
}

/** Returns the number or address of a verification; `subject` is that, or its SID. Throws for an unknown one. */
async function recipientOf({ session }: Call, subject: string): Promise<string> {
  const { kind, id } = recipientPlaceOf(subject);
  const isSid = /^VE[0-9a-f]{32}$/i.test(subject);
  const to = isSid ? (await session.objects.get(kind, id))?.value : readRecipient(subject);
  if (typeof to !== "string") throw resourceNotFound();
  return to;
}

/** Returns whether a verification is the one that `subject` names: an earlier SID of the same number is not. */
function isNamed({ sid }: Verification, subject: string): boolean {
  return !subject.startsWith("VE") || sid === subject;
}

async function decide(
  call: Call,
  subject: string,
  body: (present: Present) => ObjectDecision<Verification>,
): Promise<Verification> {
  const place = placeOf(call.request.params["service"] ?? "", await recipientOf(call, subject));
  return changeObject(call.session.objects, place, (value) => {
    const present = value as Present;
    return body(present !== undefined && isNamed(present, subject) ? present : undefined);
  });
}

/** Time for which a code is valid. */
const verificationMs = 10 * 60_000;
const sendCountMax = 5;
const failedCheckCountMax = 5;

/** Returns the place of the pending verification of a number or an address. */
function placeOf(serviceSid: string, to: string): ObjectPlace {
  return { kind: "verification", id: `${serviceSid}:${recipientHash(to)}` };
}

/** Returns the place of the recipient of a verification, which finds it by its SID. */
function recipientPlaceOf(sid: string): ObjectPlace {
  return { kind: "verification-recipient", id: sid };
}

/** Request to deliver a code. */
interface CodeRequest extends Pick<Verification, "serviceSid" | "accountSid" | "to"> {
  readonly channel: VerifyChannel;
  /** Code of a new verification. */
  readonly newCode: string;
  /** Code that the application chose; replaces that of a pending verification. */
  readonly customCode: string | null;
}

/** Decides about another delivery: a pending verification keeps its code, SID and end. */
function decideSend(
  present: Present,
  { channel, newCode, customCode, ...ids }: CodeRequest,
  now: number,
): ObjectDecision<Verification> {
  if (present !== undefined && present.failedCheckCount >= failedCheckCountMax) throw rejection(60202);
  if (present !== undefined && present.sends.length >= sendCountMax) throw rejection(60203);
  const send = { sid: newSid("VL"), channel, at: now };
  const fresh = {
    ...ids,
    sid: newSid("VE"),
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
function decideRevert(present: Present, sendSid: string, now: number): ObjectDecision<undefined> {
  if (present === undefined) return { result: undefined };
  const sends = present.sends.filter(({ sid }) => sid !== sendSid);
  const expiresAt = sends.length === 0 ? now : endOf(present);
  return { result: undefined, change: { value: { ...present, sends }, expiresAt } };
}

/** Decides about a check: the right code ends the verification, and a wrong one counts. Throws without a verification. */
function decideCheck(present: Present, code: string, now: number): ObjectDecision<Verification> {
  if (present === undefined) throw resourceNotFound();
  if (present.failedCheckCount >= failedCheckCountMax) throw rejection(60202);
  if (isSameText(present.code, code)) return ended(present, "approved", now);
  return changed({ ...present, failedCheckCount: present.failedCheckCount + 1, updatedAt: now });
}

/** Decides about a status that the application sets. Throws without a verification. */
function decideStatus(present: Present, status: "approved" | "canceled", now: number): ObjectDecision<Verification> {
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
