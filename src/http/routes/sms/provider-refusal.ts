import { Problem } from "../../../core/errors.ts";
import { twilioError, type TwilioError, type TwilioErrorCode } from "../../../sms/twilio-error.ts";
import type { VonageError } from "../../../sms/vonage-message.ts";
import { vonageErrorAnswer } from "../../../sms/vonage-message.ts";
import type { Principal } from "../../../core/api-key.ts";
import { requireScope } from "../../../operations/require-scope.ts";
import { jsonResponse, type HttpResponse } from "../../http-response.ts";
import { authenticateRequest } from "../../auth.ts";
import type { ProviderCall } from "../../route.ts";

/**
 * Returns the principal of the request's key; no browser's session counts here. Rejects as `authenticateRequest` does, and
 * with `forbidden` where the key's scope does not cover the need.
 */
export async function authenticateByKey(call: ProviderCall, need: "read" | "send"): Promise<Principal> {
  const { principal } = await authenticateRequest(
    { ...call.context, sessions: undefined },
    { ...call, method: "POST" },
  );
  requireScope(principal, need);
  return principal;
}

/** An error in Twilio's shape. */
export function twilioRefusal({ status, body }: TwilioError): HttpResponse {
  return { ...jsonResponse(body), status };
}

/** What `response` answers; a problem that it throws is answered as Twilio would. Faults of ours are thrown on. */
export async function inTwilioShape(respond: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof Problem) || error.row.status >= 500) throw error;
    return twilioRefusal(twilioError(twilioCodeOf(error)));
  }
}

/** An error in Vonage's shape: HTTP 200, the body tells. */
export function vonageRefusal(error: VonageError): HttpResponse {
  return jsonResponse(vonageErrorAnswer(error));
}

/** As {@link inTwilioShape}, for Vonage. */
export async function inVonageShape(respond: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof Problem) || error.row.status >= 500) throw error;
    return vonageRefusal(vonageErrorOf(error));
  }
}

function twilioCodeOf(problem: Problem): TwilioErrorCode {
  if (problem.code === "unauthenticated" || problem.code === "forbidden") return 20003;
  if (problem.row.status === 429) return 20429;
  return problem.code === "not_found" ? 20404 : 21211;
}

function vonageErrorOf(problem: Problem): VonageError {
  if (problem.code === "unauthenticated" || problem.code === "forbidden")
    return { status: "4", text: "Bad Credentials" };
  if (problem.row.status === 429) return { status: "1", text: "Throughput Rate Exceeded" };
  return { status: "3", text: problem.message };
}
