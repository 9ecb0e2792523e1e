/**
 * Errors of Amazon SES: for version 1 as XML with a code, for version 2 as JSON with the code in `x-amzn-errortype`.
 * https://docs.aws.amazon.com/ses/latest/DeveloperGuide/api-error-codes.html,
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html. `ServiceUnavailable` is
 * a common error of AWS (https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html); AWS documents no 504.
 */
import type { Problem } from "../../core/errors.ts";
import { readAccessKey } from "../formats/aws-access-key.ts";
import { queryErrorResponse } from "../formats/aws-xml.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { detailOf, Rejection } from "../kit/rejection.ts";
import { failureText, type ErrorContext, type ProviderResponse } from "../provider.ts";
import { isRestPath, newRequestId, queryNamespace, restResponse } from "./response.ts";

/** Errors: code and status in version 1 and in version 2, and message. */
const rows = {
  accessDenied: [
    ["AccessDenied", 403],
    ["AccessDeniedException", 403],
    "The access key is not authorized to perform this action.",
  ],
  alreadyExists: [["AlreadyExists", 400], ["AlreadyExistsException", 400], "The resource already exists."],
  configurationSetExists: [
    ["ConfigurationSetAlreadyExists", 400],
    ["AlreadyExistsException", 400],
    "The configuration set already exists.",
  ],
  configurationSetMissing: [
    ["ConfigurationSetDoesNotExist", 400],
    ["NotFoundException", 404],
    "The configuration set does not exist.",
  ],
  internal: [
    ["InternalFailure", 500],
    ["InternalServiceErrorException", 500],
    "The request processing has failed because of an unknown error.",
  ],
  invalid: [["InvalidParameterValue", 400], ["BadRequestException", 400], "The request has invalid parameters."],
  invalidRendering: [
    ["InvalidRenderingParameter", 400],
    ["BadRequestException", 400],
    "Template rendering data is invalid",
  ],
  invalidTemplate: [["InvalidTemplate", 400], ["BadRequestException", 400], "The template is invalid."],
  limitExceeded: [["LimitExceeded", 400], ["LimitExceededException", 400], "A limit is exceeded."],
  malformed: [["MalformedQueryString", 400], ["SerializationException", 400], "The request body cannot be parsed."],
  missingAttribute: [
    ["MissingRenderingAttribute", 400],
    ["BadRequestException", 400],
    "An attribute is not present in the rendering data.",
  ],
  missingToken: [
    ["MissingAuthenticationToken", 403],
    ["MissingAuthenticationTokenException", 403],
    "Missing Authentication Token",
  ],
  notFound: [["InvalidParameterValue", 400], ["NotFoundException", 404], "Not found."],
  rejected: [["MessageRejected", 400], ["MessageRejected", 400], "The message was rejected."],
  templateMissing: [["TemplateDoesNotExist", 400], ["NotFoundException", 404], "The template does not exist."],
  throttled: [["Throttling", 400], ["TooManyRequestsException", 429], "Maximum sending rate exceeded."],
  timedOut: [["GatewayTimeout", 504], ["GatewayTimeout", 504], "The request has timed out."],
  unavailable: [
    ["ServiceUnavailable", 503],
    ["ServiceUnavailable", 503],
    "The request has failed due to a temporary failure of the server.",
  ],
  unknownKey: [
    ["InvalidClientTokenId", 403],
    ["UnrecognizedClientException", 403],
    "The security token included in the request is invalid.",
  ],
  unknownOperation: [
    ["InvalidAction", 400],
    ["UnknownOperationException", 404],
    "The requested operation does not exist.",
  ],
  validation: [["ValidationError", 400], ["BadRequestException", 400], "1 validation error detected."],
} as const;

/** Name of a row of the error table. */
export type SesErrorKind = keyof typeof rows;

const messageLengthMax = 500;

/** Error of the API; `subject` is a name that the error of version 1 carries as `TemplateName` or similar. */
interface SesError {
  readonly codes: readonly [
    query: readonly [code: string, status: number],
    rest: readonly [code: string, status: number],
  ];
  readonly message: string;
  readonly subject: Subject;
}

type Subject = readonly [member: string, value: string] | null;

function errorOf(kind: SesErrorKind, message: string = rows[kind][2], subject: Subject = null): SesError {
  const [query, rest] = rows[kind];
  return { codes: [query, rest], message: message.slice(0, messageLengthMax), subject };
}

/** Returns the error of the API with a public message. */
export function rejection(kind: SesErrorKind, message?: string, subject?: Subject): Rejection<SesErrorKind> {
  const error = errorOf(kind, message, subject);
  return new Rejection<SesErrorKind>(kind, (_, request) => shape(error, request), error.message);
}

/** Returns an error as a response in the protocol of the request's path. */
function shape({ codes, message, subject }: SesError, { path }: ErrorContext): ProviderResponse {
  const requestId = newRequestId();
  const isRest = isRestPath(path);
  const [code, status] = codes[isRest ? 1 : 0];
  if (isRest) return restResponse({ requestId, status, value: { message }, headers: { "x-amzn-errortype": code } });
  const members = subject === null ? [] : [subject];
  return queryErrorResponse({ namespace: queryNamespace, requestId }, { status, code, message, members });
}

function errorOfProblem(problem: Problem, { headers }: ErrorContext): SesError {
  const { code, row, message } = problem;
  if (row.status >= 500) return errorOf("internal", failureText(problem, rows.internal[2]));
  if (code === "unauthenticated") return errorOf(readAccessKey(headers, []) === null ? "missingToken" : "unknownKey");
  if (code === "forbidden") return errorOf("accessDenied");
  if (code === "not_found" || code === "method_not_allowed") return errorOf("unknownOperation");
  if (code === "body_too_large" || code === "message_too_large") return tooLarge;
  if (code === "unsupported_media_type") return errorOf("malformed");
  return row.status === 429 ? errorOf("throttled", message) : errorOf("invalid", detailOf(problem));
}

const tooLarge = errorOf("invalid", "Message length exceeds the maximum message size.");

/** Error responses of Amazon SES. */
export const sesErrors: ErrorResponses = errorResponses<SesError>({
  shape,
  ofProblem: errorOfProblem,
  faults: {
    rateLimited: errorOf("throttled"),
    unavailable: errorOf("unavailable"),
    internal: errorOf("internal"),
    unauthorized: errorOf("unknownKey"),
    invalidRecipient: errorOf("invalid", "Illegal address"),
    tooLarge,
    timeout: errorOf("timedOut"),
  },
  ofStatus: (status, reason) => {
    const code = [reason.replaceAll(" ", ""), status] as const;
    return { codes: [code, code], message: reason, subject: null };
  },
});
