/**
 * Errors of Azure Communication Services: https://learn.microsoft.com/rest/api/communication/email/email/send#errorresponse. The
 * codes are those that applications report; the documentation lists none.
 */
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
const dropped = "Email was dropped: no server receives mail for the recipients.";

function reject(error: AcsError): Rejection<AcsError> {
  return new Rejection(error, shape, error.message);
}

function invalid(target: string, message: string): Rejection<AcsError> {
  return reject({ status: 400, code: "BadRequest", message, target });
}

/** Errors of requests; `target` is the member or header field that they are about. */
export const errors = {
  invalid,
  missing: (target: string) => invalid(target, `The member ${target} is required.`),
  invalidAddress: (target: string) => reject({ ...invalidAddress, target }),
  unknownOperation: (id: string) => reject(ofStatus(404, `Requested message could not be located. MessageId: ${id}`)),
  reusedId: (target: string) => reject({ ...ofStatus(409, "The id was used with another request."), target }),
  noServer: () => reject({ status: 400, code: "EmailDroppedAllRecipientsSuppressed", message: dropped }),
} as const;

/** Error responses of Azure Communication Services. */
export const acsErrors: ErrorResponses = errorResponses<AcsError>({
  shape,
  problems: { unauthenticated: denied, body_too_large: tooLarge, message_too_large: tooLarge },
  ofProblem: (problem) => {
    const { status } = problem.row;
    if (status < 500) return undefined;
    return { ...ofStatus(status === 507 ? 500 : status, ""), message: failureText(problem, internal) };
  },
  faults: { unauthorized: denied, invalidRecipient: invalidAddress, tooLarge },
  statusOf: ({ status, code }) => (code === invalidAddress.code ? 0 : status),
  ofStatus,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
