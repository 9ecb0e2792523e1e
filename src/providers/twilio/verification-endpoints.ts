import { changeObject } from "../kit/objects.ts";
import { deliverCode, newCode } from "../one-time-code.ts";
import {
  jsonResponse,
  type ProviderEndpoint,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { twilioError, twilioErrorResponse, verifyRefusals } from "./errors.ts";
import {
  decideCheck,
  decideRevert,
  decideSend,
  decideStatus,
  placeOf,
  recipientPlaceOf,
  verificationMs,
  type Verification,
  type VerificationResult,
} from "./verification.ts";
import { accountSidOf, resourceNotFound } from "./verify-call.ts";
import { codeMessageOf } from "./verify-message.ts";
import { readCheck, readRecipient, readStatus, readVerification } from "./verify-request.ts";
import { checkResource, servicesUrl, verificationResource } from "./verify-response.ts";
import { defaultService, isServiceSid, serviceKind, serviceOf, type VerifyService } from "./verify-service.ts";

/** Starts a verification or delivers its code again: `POST /v2/Services/:service/Verifications`. */
const create: ProviderEndpoint = {
  method: "POST",
  isSend: true,
  path: "/v2/Services/:service/Verifications",
  summary: "Send a code through the Twilio Verify-compatible API.",
  successes: [{ status: 201, description: "Twilio's verification resource." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const service = await findService(request, services, session);
    if (service === undefined) return invalidService(request);
    const { request: wanted, error } = readVerification(request.form);
    if (error !== undefined) return twilioErrorResponse(error);
    const { to, channel, customCode } = wanted;
    const ids = { serviceSid: service.sid, accountSid: accountSidOf(request), to };
    const codeRequest = { ...ids, channel, customCode, newCode: newCode(service.codeLength) };
    const place = placeOf(service.sid, to);
    const result = await changeObject(session.objects, place, (value) =>
      decideSend(value as Verification | undefined, codeRequest, services.now()),
    );
    if (result.error !== undefined) return twilioErrorResponse(result.error);
    const { verification } = result;
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
      return twilioErrorResponse(verifyRefusals[refusal](to));
    }
    const expiresAt = verification.createdAt + verificationMs;
    const { kind, id } = recipientPlaceOf(verification.sid);
    await session.objects.put(kind, id, { value: to, expiresAt });
    return jsonResponse(201, verificationResource(verification, servicesUrl(request.url)));
  },
};

/** Returns a pending verification by its SID, number or address: `GET /v2/Services/:service/Verifications/:id`. */
const fetch: ProviderEndpoint = {
  method: "GET",
  path: "/v2/Services/:service/Verifications/:id",
  summary: "Fetch a verification through the Twilio Verify-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "read");
    const verification = await findVerification(session, request, request.params["id"] ?? "");
    if (verification === undefined) return resourceNotFound(request);
    return jsonResponse(200, verificationResource(verification, servicesUrl(request.url)));
  },
};

/** Approves or cancels a pending verification: `POST /v2/Services/:service/Verifications/:id`. */
const update: ProviderEndpoint = {
  method: "POST",
  path: "/v2/Services/:service/Verifications/:id",
  summary: "Approve or cancel a verification through the Twilio Verify-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { request: status, error } = readStatus(request.form);
    if (error !== undefined) return twilioErrorResponse(error);
    const { service = "" } = request.params;
    const result = await decide(session, { service, subject: request.params["id"] ?? "" }, (present) =>
      decideStatus(present, status, services.now()),
    );
    return respond(request, result, (verification) =>
      jsonResponse(200, verificationResource(verification, servicesUrl(request.url))),
    );
  },
};

/** Checks a code: `POST /v2/Services/:service/VerificationCheck`. */
const check: ProviderEndpoint = {
  method: "POST",
  path: "/v2/Services/:service/VerificationCheck",
  summary: "Check a code through the Twilio Verify-compatible API.",
  successes: [{ status: 201, description: "Twilio's resource of the check, also for a wrong code." }],
  handle: async (request, services) => {
    const session = await services.authenticate(request.key, "send");
    const { request: given, error } = readCheck(request.form);
    if (error !== undefined) return twilioErrorResponse(error);
    const { service = "" } = request.params;
    const result = await decide(session, { service, subject: given.subject }, (present) =>
      decideCheck(present, given.code, services.now()),
    );
    return respond(request, result, (verification) => jsonResponse(201, checkResource(verification)));
  },
};

/** Endpoints of the Verifications and VerificationCheck resources of Twilio Verify. */
export const verificationEndpoints: readonly ProviderEndpoint[] = [create, fetch, update, check];

/** Returns the service of the path; undefined for a malformed SID. A SID that was not created here has the defaults. */
async function findService(
  request: ProviderRequest,
  { now }: Pick<ProviderServices, "now">,
  { objects }: Pick<ProviderSession, "objects">,
): Promise<VerifyService | undefined> {
  const sid = request.params["service"] ?? "";
  if (!isServiceSid(sid)) return undefined;
  const found = await objects.get(serviceKind, sid);
  return found === undefined ? defaultService(sid, accountSidOf(request), now()) : serviceOf(found);
}

function invalidService({ params }: ProviderRequest): ProviderResponse {
  return twilioErrorResponse(twilioError(60200, ` \`ServiceSid\`: ${params["service"] ?? ""}`));
}

type Session = Pick<ProviderSession, "objects">;

/** Returns the number or address of a verification; `subject` is that, or its SID. */
async function recipientOf({ objects }: Session, subject: string): Promise<string | undefined> {
  if (!/^VE[0-9a-f]{32}$/i.test(subject)) return readRecipient(subject);
  const { kind, id } = recipientPlaceOf(subject);
  return (await objects.get(kind, id))?.value as string | undefined;
}

/** Returns whether a verification is the one that `subject` names: an earlier SID of the same number is not. */
function isNamed({ sid }: Verification, subject: string): boolean {
  return !subject.startsWith("VE") || sid === subject;
}

async function findVerification(
  session: Session,
  { params }: ProviderRequest,
  subject: string,
): Promise<Verification | undefined> {
  const to = await recipientOf(session, subject);
  if (to === undefined) return undefined;
  const { kind, id } = placeOf(params["service"] ?? "", to);
  const found = (await session.objects.get(kind, id))?.value as Verification | undefined;
  return found !== undefined && isNamed(found, subject) ? found : undefined;
}

type Decide = (present: Verification | undefined) => ReturnType<typeof decideCheck>;

async function decide(
  session: Session,
  { service, subject }: { readonly service: string; readonly subject: string },
  body: Decide,
): Promise<VerificationResult | null> {
  const to = await recipientOf(session, subject);
  if (to === undefined) return null;
  return changeObject(session.objects, placeOf(service, to), (value) => {
    const present = value as Verification | undefined;
    return body(present !== undefined && isNamed(present, subject) ? present : undefined);
  });
}

function respond(
  request: ProviderRequest,
  result: VerificationResult | null,
  success: (verification: Verification) => ProviderResponse,
): ProviderResponse {
  if (result === null) return resourceNotFound(request);
  return result.error === undefined ? success(result.verification) : twilioErrorResponse(result.error);
}
