/**
 * Errors of Amazon SES: for version 1 as XML with a code, for version 2 as JSON with the code in `x-amzn-errortype`.
 * https://docs.aws.amazon.com/ses/latest/DeveloperGuide/api-error-codes.html,
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html
 */
import type { Problem } from "../../core/errors.ts";
import { readAccessKey } from "../formats/aws-access-key.ts";
import { queryErrorResponse, type QueryError } from "../formats/aws-xml.ts";
import { failureText, type ErrorContext, type ProviderResponse } from "../provider.ts";
import { isRestPath, newRequestId, queryNamespace, restResponse } from "./response.ts";

/** Row of the error table: codes and statuses in both versions of the API. */
interface ErrorRow {
  readonly query: readonly [code: string, status: number];
  readonly rest: readonly [code: string, status: number];
  readonly message: string;
}

const badRequest: ErrorRow["rest"] = ["BadRequestException", 400];

/** Name of a row of the error table. */
export type SesErrorKind =
  | "accessDenied"
  | "alreadyExists"
  | "configurationSetExists"
  | "configurationSetMissing"
  | "internal"
  | "invalid"
  | "invalidRendering"
  | "invalidTemplate"
  | "limitExceeded"
  | "malformed"
  | "missingAttribute"
  | "missingToken"
  | "notFound"
  | "rejected"
  | "templateMissing"
  | "throttled"
  | "timedOut"
  | "unavailable"
  | "unknownKey"
  | "unknownOperation"
  | "validation";

const rows: Readonly<Record<SesErrorKind, ErrorRow>> = {
  accessDenied: {
    query: ["AccessDenied", 403],
    rest: ["AccessDeniedException", 403],
    message: "The access key is not authorized to perform this action.",
  },
  alreadyExists: {
    query: ["AlreadyExists", 400],
    rest: ["AlreadyExistsException", 400],
    message: "The resource already exists.",
  },
  configurationSetExists: {
    query: ["ConfigurationSetAlreadyExists", 400],
    rest: ["AlreadyExistsException", 400],
    message: "The configuration set already exists.",
  },
  configurationSetMissing: {
    query: ["ConfigurationSetDoesNotExist", 400],
    rest: ["NotFoundException", 404],
    message: "The configuration set does not exist.",
  },
  internal: {
    query: ["InternalFailure", 500],
    rest: ["InternalServiceErrorException", 500],
    message: "The request processing has failed because of an unknown error.",
  },
  invalid: { query: ["InvalidParameterValue", 400], rest: badRequest, message: "The request has invalid parameters." },
  invalidRendering: {
    query: ["InvalidRenderingParameter", 400],
    rest: badRequest,
    message: "Template rendering data is invalid",
  },
  invalidTemplate: { query: ["InvalidTemplate", 400], rest: badRequest, message: "The template is invalid." },
  limitExceeded: {
    query: ["LimitExceeded", 400],
    rest: ["LimitExceededException", 400],
    message: "A limit is exceeded.",
  },
  malformed: {
    query: ["MalformedQueryString", 400],
    rest: ["SerializationException", 400],
    message: "The request body cannot be parsed.",
  },
  missingAttribute: {
    query: ["MissingRenderingAttribute", 400],
    rest: badRequest,
    message: "An attribute is not present in the rendering data.",
  },
  missingToken: {
    query: ["MissingAuthenticationToken", 403],
    rest: ["MissingAuthenticationTokenException", 403],
    message: "Missing Authentication Token",
  },
  notFound: { query: ["InvalidParameterValue", 400], rest: ["NotFoundException", 404], message: "Not found." },
  rejected: { query: ["MessageRejected", 400], rest: ["MessageRejected", 400], message: "The message was rejected." },
  templateMissing: {
    query: ["TemplateDoesNotExist", 400],
    rest: ["NotFoundException", 404],
    message: "The template does not exist.",
  },
  throttled: {
    query: ["Throttling", 400],
    rest: ["TooManyRequestsException", 429],
    message: "Maximum sending rate exceeded.",
  },
  timedOut: { query: ["GatewayTimeout", 504], rest: ["GatewayTimeout", 504], message: "The request has timed out." },
  unavailable: {
    query: ["ServiceUnavailable", 503],
    rest: ["ServiceUnavailable", 503],
    message: "The request has failed due to a temporary failure of the server.",
  },
  unknownKey: {
    query: ["InvalidClientTokenId", 403],
    rest: ["UnrecognizedClientException", 403],
    message: "The security token included in the request is invalid.",
  },
  unknownOperation: {
    query: ["InvalidAction", 400],
    rest: ["UnknownOperationException", 404],
    message: "The requested operation does not exist.",
  },
  validation: { query: ["ValidationError", 400], rest: badRequest, message: "1 validation error detected." },
};

/** Rejection of a request by the emulated API; the endpoints turn it into a response. Its message is public. */
export class SesError extends Error {
  override readonly name: string = "SesError";
  readonly kind: SesErrorKind;
  /** Name that the error of version 1 carries as `TemplateName` or similar; null without one. */
  readonly subject: readonly [member: string, value: string] | null;

  constructor(kind: SesErrorKind, message: string = rows[kind].message, subject: SesError["subject"] = null) {
    super(message.slice(0, messageLengthMax));
    this.kind = kind;
    this.subject = subject;
  }
}

const messageLengthMax = 500;

/** Returns the error as a response in the protocol of the request's path. */
export function sesErrorResponse(error: SesError, request: Pick<ErrorContext, "path">): ProviderResponse {
  const { message, subject } = error;
  const row = rows[error.kind];
  const [code, status] = isRestPath(request.path) ? row.rest : row.query;
  return plainErrorResponse({ status, code, message, members: subject === null ? [] : [subject] }, request);
}

/** Returns an error that the table does not have as a response in the protocol of the request's path. */
export function plainErrorResponse(error: QueryError, { path }: Pick<ErrorContext, "path">): ProviderResponse {
  const requestId = newRequestId();
  const { status, code, message } = error;
  return isRestPath(path)
    ? restResponse({ requestId, status, value: { message }, headers: { "x-amzn-errortype": code } })
    : queryErrorResponse({ namespace: queryNamespace, requestId }, error);
}

/** Returns the response of Amazon SES to a failure of the service. */
export function sesFailure(problem: Problem, request: ErrorContext): ProviderResponse {
  return sesErrorResponse(new SesError("internal", failureText(problem, rows.internal.message)), request);
}

/** Returns the response of Amazon SES to a problem of the service. */
export function sesProblemResponse(problem: Problem, request: ErrorContext): ProviderResponse {
  return sesErrorResponse(errorOfProblem(problem, request), request);
}

function errorOfProblem({ code, row, message, fields }: Problem, { headers }: ErrorContext): SesError {
  if (code === "unauthenticated")
    return new SesError(readAccessKey(headers, []) === null ? "missingToken" : "unknownKey");
  if (code === "forbidden") return new SesError("accessDenied");
  if (code === "not_found" || code === "method_not_allowed") return new SesError("unknownOperation");
  if (code === "body_too_large" || code === "message_too_large") {
    return new SesError("invalid", "Message length exceeds the maximum message size.");
  }
  if (code === "unsupported_media_type") return new SesError("malformed");
  if (row.status === 429) return new SesError("throttled", message);
  return new SesError("invalid", fields[0]?.description ?? message);
}
