/**
 * Errors of Azure Communication Services: https://learn.microsoft.com/rest/api/communication/email/email/send#errorresponse. The
 * codes are those that applications report; the documentation lists none.
 */
import type { Problem } from "../../core/errors.ts";
import { errorResponses, reasonOf, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, jsonResponse, type ProviderResponse } from "../provider.ts";

/** Error as the API responds with it; `target` is the member that it is about. */
interface AcsError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

function shape({ status, ...error }: AcsError): ProviderResponse {
  return { ...jsonResponse(status, { error }), headers: { "x-ms-error-code": error.code } };
}

const internal = "An internal error occurred.";

/** Codes and messages of statuses where they are not the reason and the cause. */
const byStatus: Readonly<Record<number, Partial<Pick<AcsError, "code" | "message">>>> = {
  401: { code: "Denied" },
  429: { message: "The request was throttled because the limit of the subscription was reached. Retry later." },
  500: { code: "InternalServerError", message: internal },
  503: { message: "The service is temporarily unavailable. Retry later." },
};

function ofStatus(status: number, message: string): AcsError {
  return { status, code: reasonOf(status).replaceAll(/\W/g, ""), message, ...byStatus[status] };
}

const denied = ofStatus(401, "Denied by the resource provider.");
const invalidAddress = { status: 400, code: "InvalidEmailAddress", message: "Invalid format for email address" };
const tooLarge = ofStatus(413, "The size of the request exceeds the limit.");

function rejectionOf(error: AcsError): Rejection<AcsError> {
  return new Rejection(error, shape, error.message);
}

/** Returns the error of a member of a request. */
export function invalid(target: string, message: string): Rejection {
  return rejectionOf({ status: 400, code: "BadRequest", message, target });
}

/** Returns the error of a member that has to be present. */
export function missing(target: string): Rejection {
  return invalid(target, `The member ${target} is required.`);
}

/** Returns the error of a member that is not an address. */
export function invalidAddressAt(target: string): Rejection {
  return rejectionOf({ ...invalidAddress, target });
}

/** Returns the error of an operation that does not exist. */
export function unknownOperation(id: string): Rejection {
  return rejectionOf(ofStatus(404, `Requested message could not be located. MessageId: ${id}`));
}

/** Returns the error of an id that was used for another request. */
export function reusedId(target: string): Rejection {
  return rejectionOf({ ...ofStatus(409, "The id was used with another request."), target });
}

/** Error of a mail whose recipients have no server. */
export const noServer: Rejection = rejectionOf({
  status: 400,
  code: "EmailDroppedAllRecipientsSuppressed",
  message: "Email was dropped: no server receives mail for the recipients.",
});

function ofProblem(problem: Problem): AcsError {
  const { code, row, message } = problem;
  if (code === "unauthenticated") return denied;
  if (code === "body_too_large" || code === "message_too_large") return tooLarge;
  if (row.status < 500) return ofStatus(row.status, message);
  return { ...ofStatus(row.status === 507 ? 500 : row.status, ""), message: failureText(problem, internal) };
}

/** Error responses of Azure Communication Services. */
export const acsErrors: ErrorResponses = errorResponses<AcsError>({
  shape,
  ofProblem,
  faults: { unauthorized: denied, invalidRecipient: invalidAddress, tooLarge },
  statusOf: ({ status, code }) => (code === invalidAddress.code ? 0 : status),
  ofStatus,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
