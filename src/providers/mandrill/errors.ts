/**
 * Errors of Mandrill's API: https://mailchimp.com/developer/transactional/docs/fundamentals/. It rejects requests with the
 * status 500 and `{"status":"error","code":…,"name":…,"message":…}`, and unknown keys with 401.
 */
import type { JsonObject } from "../formats/json-body.ts";
import { errorResponses, retryAfterSeconds, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";

/** Codes of the errors by name. */
const codes = {
  ValidationError: -2,
  GeneralError: -99,
  Invalid_Key: 401,
  Invalid_Reject: 3,
  Invalid_Template: 6,
  Unknown_InboundDomain: 13,
  Unknown_InboundRoute: 14,
  Unknown_Message: 11,
  Unknown_Template: 5,
  Unknown_Webhook: 8,
} as const;

type ErrorName = keyof typeof codes;

interface MandrillError {
  readonly status: number;
  readonly code: number;
  readonly name: ErrorName;
  readonly message: string;
}

function shape({ status, code, name, message }: MandrillError): ProviderResponse {
  return jsonResponse(status, { status: "error", code, name, message });
}

function reject(name: ErrorName, message: string, code: number = codes[name]): Rejection<MandrillError> {
  return new Rejection({ status: 500, code, name, message }, shape, message);
}

const echoLengthMax = 200;
const echo = (text: string): string => text.slice(0, echoLengthMax);

/** Errors of requests. */
export const errors = {
  missing: (name: string) => reject("ValidationError", `You must specify a ${name} value`, -1),
  /** Error of members, which the object names as they are nested in the request. */
  invalid: (members: JsonObject) => reject("ValidationError", `Validation error: ${JSON.stringify(members)}`),
  unknownTemplate: (name: string) => reject("Unknown_Template", `No such template "${echo(name)}"`),
  templateExists: (name: string) => reject("Invalid_Template", `A template with name "${echo(name)}" already exists`),
  brokenTemplate: (detail: string) => reject("ValidationError", `Merge tags are not valid: ${detail}`),
  unknownMessage: (id: string) => reject("Unknown_Message", `No message exists with the id '${echo(id)}'`),
  unknownReject: (email: string) => reject("Invalid_Reject", `${echo(email)} is not on the reject list`),
  unknownDomain: (name: string) => reject("Unknown_InboundDomain", `Unknown inbound domain "${echo(name)}"`),
  unknownRoute: (id: string) => reject("Unknown_InboundRoute", `No inbound route exists with the id ${echo(id)}`),
  unknownWebhook: (id: unknown) => reject("Unknown_Webhook", `No webhook exists with the id ${echo(String(id))}`),
  tooLarge: () => reject("ValidationError", "The mails of all recipients together exceed 50 MB"),
} as const;

const invalidKey = { code: codes.Invalid_Key, name: "Invalid_Key", message: "Invalid API key" } as const;
const unexpected = "An unexpected error occurred processing your request.";

/** Statuses that the API's own errors do not have, such as 404 and 413, keep their status. */
function ofStatus(status: number, message: string): MandrillError {
  return status >= 400 && status < 500
    ? { status, code: -1, name: "ValidationError", message }
    : { status, code: codes.GeneralError, name: "GeneralError", message };
}

/** Error responses of the API. */
export const mandrillErrors: ErrorResponses = errorResponses<MandrillError>({
  shape,
  problems: { unauthenticated: { status: 401, ...invalidKey }, forbidden: { status: 403, ...invalidKey } },
  failure: unexpected,
  faults: {
    unauthorized: { status: 401, ...invalidKey },
    internal: ofStatus(500, unexpected),
    invalidRecipient: errors.invalid({ message: { to: [{ email: "An email address must contain a single @" }] } })
      .failure,
  },
  ofStatus,
  statusOf: ({ status }) => status,
  limitHeaders: () => ({ "retry-after": String(retryAfterSeconds) }),
});
