/** Verifications of Twilio Verify. */
import { changeObject } from "../kit/objects.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { deliverCode, newCode } from "../one-time-code.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, resourceNotFound } from "./errors.ts";
import {
  decideCheck,
  decideRevert,
  decideSend,
  decideStatus,
  placeOf,
  recipientPlaceOf,
  verificationMs,
  type Verification,
} from "./verification.ts";
import { invalidTo, readCheck, readRecipient, readStatus, readVerification } from "./verify-request.ts";
import { accountSidOf, checkResource, codeMessageOf, servicesUrl, verificationResource } from "./verify-response.ts";
import { defaultService, isServiceSid, openServices, type VerifyService } from "./verify-services.ts";

/** Starts a verification or delivers its code again: `POST /v2/Services/:service/Verifications`. */
export const createVerification: Handler = async (call) => {
  const { request, session, services } = call;
  const service = await findService(call);
  const wanted = readVerification(request.form);
  const { to, channel, customCode } = wanted;
  const ids = { serviceSid: service.sid, accountSid: accountSidOf(request), to };
  const codeRequest = { ...ids, channel, customCode, newCode: newCode(service.codeLength) };
  const place = placeOf(service.sid, to);
  const verification = await changeObject(session.objects, place, (value) =>
    decideSend(value as Verification | undefined, codeRequest, services.now()),
  );
  const revert = async (): Promise<void> => {
    const sendSid = verification.sends.at(-1)?.sid ?? "";
    await changeObject(session.objects, place, (value) =>
      decideRevert(value as Verification | undefined, sendSid, services.now()),
    );
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
  return jsonResponse(201, verificationResource(verification, servicesUrl(request.url)));
};

/** Returns a pending verification by its SID, number or address: `GET /v2/Services/:service/Verifications/:id`. */
export const getVerification: Handler = async (call) => {
  const { params, url } = call.request;
  const { service = "", id: subject = "" } = params;
  const to = await recipientOf(call, subject);
  const { kind, id } = placeOf(service, to);
  const found = (await call.session.objects.get(kind, id))?.value as Verification | undefined;
  if (found === undefined || !isNamed(found, subject)) throw resourceNotFound();
  return jsonResponse(200, verificationResource(found, servicesUrl(url)));
};

/** Approves or cancels a pending verification: `POST /v2/Services/:service/Verifications/:id`. */
export const updateVerification: Handler = async (call) => {
  const { form, params, url } = call.request;
  const status = readStatus(form);
  const verification = await decide(call, params["id"] ?? "", (present) =>
    decideStatus(present, status, call.services.now()),
  );
  return jsonResponse(200, verificationResource(verification, servicesUrl(url)));
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
  if (!isServiceSid(sid)) throw rejection(60200, ` \`ServiceSid\`: ${sid}`);
  return (await openServices(call).find(sid)) ?? defaultService(sid, accountSidOf(request), services.now());
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

type Decide = (present: Verification | undefined) => ReturnType<typeof decideCheck>;

async function decide(call: Call, subject: string, body: Decide): Promise<Verification> {
  const place = placeOf(call.request.params["service"] ?? "", await recipientOf(call, subject));
  return changeObject(call.session.objects, place, (value) => {
    const present = value as Verification | undefined;
    return body(present !== undefined && isNamed(present, subject) ? present : undefined);
  });
}
